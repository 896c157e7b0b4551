import type { LicenceReading, PrintedDate } from '../ports.ts';

const STATES: readonly (readonly [RegExp, string])[] = [
  [/new\s*south\s*wales|\bnsw\b/i, 'NSW'],
  [/victoria|\bvic\b/i, 'VIC'],
  [/queensland|\bqld\b/i, 'QLD'],
  [/south\s*australia/i, 'SA'],
  [/western\s*australia/i, 'WA'],
  [/tasmania/i, 'TAS'],
  [/australian\s*capital\s*territory|\bact\b/i, 'ACT'],
  [/northern\s*territory/i, 'NT'],
];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DATE =
  /\b([0-3O]?[0-9OIl])[\s.\-/]{0,3}([A-Z]{3})[A-Z]*[\s.\-/]{0,3}((?:19|20)[0-9OIl]{2})\b|\b(\d{1,2})[-/.](\d{1,2})[-/.]((?:19|20)\d{2})\b/g;

/** Words printed on licences that are not names. */
const NOT_NAMES =
  /\b(DRIVER|LICEN[CS]E|NEW|SOUTH|WALES|AUSTRALIA|VICTORIA|QUEENSLAND|TASMANIA|CARD|NUMBER|NO|CLASS|CONDITIONS?|DATE|OF|BIRTH|EXPIRY|DONOR|ADDRESS|STREET|ROAD|AVE(NUE)?|SPECIMEN|NSW|VIC|QLD|TYPE|SIGNATURE|NAME)\b/i;

/**
 * Finds the fields of an Australian driver licence in recognised text: the names (given names on one line, family name in capitals on the
 * next), the birth date (the earliest date) and the expiry (the latest). `ocrConfidence` is the confidence of the text recognition, 0–100.
 */
export function readLicenceText(text: string, ocrConfidence: number): LicenceReading {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  const isLicence = /driver|licen[cs]e/i.test(text);
  const issuingState = STATES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
  const dates = findDates(text);
  const born = dates.length > 1 ? dates[0] : undefined;
  const expiry = dates.length > 1 ? dates.at(-1) : undefined;
  const names = findNames(lines);
  const issues: string[] = [];
  if (!isLicence) issues.push('no licence title');
  if (!born) issues.push('no birth date');
  if (!expiry) issues.push('no expiry date');
  if (!names) issues.push('no name');
  const none: PrintedDate = { iso: null, printed: null };
  const complete = isLicence && born && expiry && names;
  return {
    documentKind: isLicence ? 'driver_licence' : 'unclear',
    issuingState,
    // Text alone cannot distinguish a card from a screen. Staff and the hosted check can.
    medium: 'physical',
    givenNames: names?.given ?? null,
    familyName: names?.family ?? null,
    dateOfBirth: born ?? none,
    expiry: expiry ?? none,
    isLegible: ocrConfidence >= 45,
    issues,
    confidence: Math.round(complete ? Math.min(100, ocrConfidence + 10) : Math.min(ocrConfidence, 50)),
  };
}

/** Finds dates in the text, earliest first. */
function findDates(text: string): { iso: string; printed: string }[] {
  const found = new Map<string, string>();
  for (const match of text.toUpperCase().matchAll(DATE)) {
    const digits = (part: string): string => part.replace(/O/g, '0').replace(/[IL]/g, '1');
    const day = digits(match[1] ?? match[4] ?? '');
    const month = match[2] === undefined ? Number(match[5]) : MONTHS.indexOf(match[2]) + 1;
    const year = digits(match[3] ?? match[6] ?? '');
    const iso = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
    const time = Date.parse(`${iso}T00:00:00Z`);
    if (month < 1 || Number.isNaN(time) || !new Date(time).toISOString().startsWith(iso)) continue;
    found.set(iso, `${day.padStart(2, '0')} ${MONTHS[month - 1] ?? ''} ${year}`);
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([iso, printed]) => ({ iso, printed }));
}

/** Finds a line of given names followed by a family name in capitals. */
function findNames(lines: readonly string[]): { given: string; family: string } | null {
  const clean = lines.map((line) =>
    line
      .replace(/[^\p{L}'’ -]/gu, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  for (let index = 0; index + 1 < clean.length; index += 1) {
    const given = clean[index] ?? '';
    const family = clean[index + 1] ?? '';
    const namelike = (line: string): boolean =>
      line.length >= 2 && line.length <= 60 && /^\p{L}{2,}/u.test(line) && !NOT_NAMES.test(line);
    const capitals = family === family.toUpperCase();
    const mixed = given !== given.toUpperCase();
    if (
      namelike(given) &&
      namelike(family) &&
      capitals &&
      mixed &&
      hasNoDigits(lines[index]) &&
      hasNoDigits(lines[index + 1])
    )
      return { given, family };
  }
  return null;
}

/** Whether a line contains no digits, as names do not. */
function hasNoDigits(text: string | undefined): boolean {
  return text !== undefined && !/\d/.test(text);
}
