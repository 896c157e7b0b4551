export const STATES = {
  NSW: 'New South Wales, Australia',
  VIC: 'Victoria, Australia',
  QLD: 'Queensland, Australia',
  WA: 'Western Australia',
  SA: 'South Australia',
  TAS: 'Tasmania, Australia',
  ACT: 'Australian Capital Territory',
  NT: 'Northern Territory, Australia',
} as const;
export type State = keyof typeof STATES;

/** The person whose licence is drawn, and the quality of the photo. */
export type Specimen = {
  readonly given: string;
  readonly family: string;
  /** 'YYYY-MM-DD' */
  readonly dob: string;
  /** 'YYYY-MM-DD' */
  readonly expiry: string;
  readonly state: State;
  /** Rotation of the card in degrees, from -20 to 20. */
  readonly tilt: number;
  /** Blur of the photo, from 0 (sharp) to 20 (unreadable). */
  readonly blur: number;
};

export const SAMPLE: Specimen = {
  given: 'Alex',
  family: 'Citizen',
  dob: '1998-04-03',
  expiry: '2031-04-03',
  state: 'NSW',
  tilt: 0,
  blur: 0,
};
const NAME_MAX = 40;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/**
 * Reads `given=&family=&dob=&expiry=&state=&tilt=&blur=`; the sample fills in what is missing. Returns a message if the licence cannot be
 * drawn.
 */
export function readSpecimen(search: URLSearchParams): Specimen | string {
  const name = (key: 'given' | 'family'): string => (search.get(key) ?? SAMPLE[key]).replace(/\p{C}/gu, '').trim();
  const [given, family] = [name('given'), name('family')];
  if (given === '' && family === '') return 'given or family is needed';
  if (given.length > NAME_MAX || family.length > NAME_MAX) return `names have at most ${NAME_MAX} characters`;
  const [dob, expiry] = [search.get('dob') ?? SAMPLE.dob, search.get('expiry') ?? SAMPLE.expiry];
  if (!isDate(dob)) return 'dob is a date, YYYY-MM-DD';
  if (!isDate(expiry)) return 'expiry is a date, YYYY-MM-DD';
  const requested = (search.get('state') ?? SAMPLE.state).toUpperCase();
  const state = stateNames().find((stateName) => stateName === requested);
  if (!state) return `state is one of ${stateNames().join(', ')}`;
  const [tilt, blur] = [Number(search.get('tilt') ?? 0), Number(search.get('blur') ?? 0)];
  if (!(Math.abs(tilt) <= 20)) return 'tilt is from -20 to 20 degrees';
  if (!(blur >= 0 && blur <= 20)) return 'blur is from 0 to 20';
  return { given, family, dob, expiry, state, tilt, blur };
}

export function stateNames(): State[] {
  // Object.keys of a constant object returns its keys.
  return Object.keys(STATES) as State[];
}

/** Formats a date as New South Wales prints it: "03 APR 1998". */
export function printedDate(iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  return `${day} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
