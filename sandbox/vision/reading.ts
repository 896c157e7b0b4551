import { printedDate, type Specimen } from '../licence/specimen.ts';

/** Answers that tests can choose instead of a reading of the picture (`POST /api/vision`). */
export const magicAnswers = [
  'under_18',
  'expired',
  'mismatch',
  'not_a_licence',
  'glare',
  'interstate',
  'screen',
  'unsure',
  'dates_disagree',
  'refusal',
  'malformed',
  'rate_limited',
  'timeout',
] as const;
export type MagicAnswer = (typeof magicAnswers)[number];

type PrintedDate = { iso: string | null; printed: string | null };
/** The fields that the product asks the model for, in its spelling. */
export type Reading = {
  document_kind: string;
  issuing_state: string | null;
  medium: string;
  given_names: string | null;
  family_name: string | null;
  date_of_birth: PrintedDate;
  expiry: PrintedDate;
  is_legible: boolean;
  issues: string[];
  confidence: number;
};

/** A licence with this much blur, or more, cannot be read. */
const ILLEGIBLE_BLUR = 6;
const NO_DATE: PrintedDate = { iso: null, printed: null };
const NOTHING: Reading = {
  document_kind: 'other',
  issuing_state: null,
  medium: 'unclear',
  given_names: null,
  family_name: null,
  date_of_birth: NO_DATE,
  expiry: NO_DATE,
  is_legible: false,
  issues: ['No driver licence is visible.'],
  confidence: 5,
};

/** Returns the model's reading of a picture of this specimen. `specimen` is null for any other picture; `now` is sandbox time. */
export function createReading(specimen: Specimen | null, magic: MagicAnswer | null, now: Date): Reading {
  if (!specimen || magic === 'not_a_licence') return NOTHING;
  if (magic === 'glare' || specimen.blur >= ILLEGIBLE_BLUR) {
    const issue = magic === 'glare' ? 'Glare covers the names and dates.' : 'The picture is blurred.';
    return {
      ...NOTHING,
      document_kind: 'driver_licence',
      issuing_state: specimen.state,
      medium: 'physical',
      issues: [issue],
    };
  }
  const seen: Reading = {
    document_kind: 'driver_licence',
    issuing_state: specimen.state,
    medium: 'physical',
    given_names: specimen.given || null,
    family_name: specimen.family.toUpperCase() || null,
    date_of_birth: toPrintedDate(specimen.dob),
    expiry: toPrintedDate(specimen.expiry),
    is_legible: true,
    issues: specimen.blur > 2 ? ['The picture is slightly blurred.'] : [],
    confidence: Math.round(97 - 6 * specimen.blur - Math.abs(specimen.tilt) / 2),
  };
  switch (magic) {
    case 'under_18':
      return { ...seen, date_of_birth: toPrintedDate(yearsFrom(now, -17)) };
    case 'expired':
      return { ...seen, expiry: toPrintedDate(yearsFrom(now, -1)) };
    case 'mismatch':
      return { ...seen, given_names: 'Robin', family_name: 'SAMPLE' };
    case 'interstate':
      return { ...seen, issuing_state: seen.issuing_state === 'VIC' ? 'QLD' : 'VIC' };
    case 'screen':
      return { ...seen, medium: 'screen', issues: ['The licence is shown on a screen.'] };
    case 'unsure':
      return { ...seen, confidence: 40, issues: ['Parts are hard to read.'] };
    case 'dates_disagree':
      return { ...seen, date_of_birth: { ...seen.date_of_birth, iso: yearsFrom(now, -40) } };
    default:
      return seen;
  }
}

function toPrintedDate(iso: string): PrintedDate {
  return { iso, printed: printedDate(iso) };
}

function yearsFrom(now: Date, years: number): string {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString().slice(0, 10);
}
