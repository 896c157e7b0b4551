import { ageOn, MINIMUM_AGE } from './people.ts';
import { addDays, dayBounds, formatStudioDate, isStudioDate, type StudioDate } from './studio-time.ts';
import { constants } from './venue.ts';

type PrintedDate = { readonly iso: string | null; readonly printed: string | null };
/** The fields that were read from a document; `confidence` is 0 to 100. */
export type LicenceReading = {
  readonly documentKind: 'driver_licence' | 'other' | 'unclear';
  readonly issuingState: string | null;
  readonly medium: 'physical' | 'screen' | 'screenshot' | 'photocopy' | 'unclear';
  readonly givenNames: string | null;
  readonly familyName: string | null;
  readonly dateOfBirth: PrintedDate;
  readonly expiry: PrintedDate;
  readonly isLegible: boolean;
  readonly issues: readonly string[];
  readonly confidence: number;
};

export type IdNames = { readonly given: string | null; readonly family: string | null };
/** An account that returns to the name on its verified ID within this many days needs no new check. */
export const NAME_RESTORE_DAYS = 30;

export type NameMatch = { readonly status: 'match' | 'partial' | 'mismatch'; readonly details: string };
export type Judgement = {
  readonly decision: 'verified' | 'review' | 'failed';
  /** Sentences for the customer. */
  readonly reasons: string[];
  /** Whether the holder is certainly under age. Another photo cannot change that until the 18th birthday according to the licence. */
  readonly isFinal: boolean;
  readonly age: number | null;
  readonly isOver18: boolean;
  readonly isExpired: boolean;
  readonly isNsw: boolean;
  readonly nameMatch: NameMatch;
  readonly dobMatches: boolean;
};

/** Staff review a reading whose confidence is below this. */
const CONFIDENCE_NEEDED = 75;
/** The reason of a final refusal. Stored decisions are searched for this text, so it must never change. */
export const UNDER_AGE = 'You must be 18 years or older.';
/** Licences of these states and territories are accepted; staff review all others. */
const AUSTRALIAN_STATES = new Set(['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'ACT', 'NT']);
/** A verification lasts as long as the licence, but at most this long. */
const VERIFICATION_MONTHS = 24;

/** Letters that Unicode does not decompose, as Australian offices print them. */
const UNDECOMPOSED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe' };

/** Splits a name into plain words without case, accents, hyphens or apostrophes. */
function words(name: string | null): string[] {
  if (name === null) return [];
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['‘’ʼ`´]/g, '')
    .toLowerCase()
    .replace(/[øłđßæœ]/g, (letter) => UNDECOMPOSED[letter] ?? letter);
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * Compares the names of a licence with the account's. Middle names may be missing, but the family name and the first given name must be there.
 * People with a single name have one word in both.
 */
export function matchNames(licence: IdNames, accountName: string): NameMatch {
  const given = words(licence.given);
  const family = words(licence.family);
  const account = words(accountName);
  const printed = [...given, ...family];
  if (printed.length === 0 || account.length === 0) return { status: 'mismatch', details: 'We couldn’t read a name.' };
  const squeezed = (list: readonly string[]): string => list.toSorted().join('');
  if (squeezed(printed) === squeezed(account) || printed.join('') === account.join(''))
    return { status: 'match', details: 'The names are the same.' };
  const has = (word: string): boolean => account.includes(word);
  const familyFits = family.every(has) || account.join('').endsWith(family.join(''));
  const firstFits = given.length === 0 || has(given[0] ?? '');
  const nothingElse =
    account.every((word) => printed.includes(word)) || account.join('') === [given[0] ?? '', ...family].join('');
  if (familyFits && firstFits && nothingElse)
    return { status: 'match', details: 'The names are the same except for middle names.' };
  if (familyFits || (given.length > 0 && firstFits))
    return { status: 'partial', details: 'Part of the name is the same.' };
  return { status: 'mismatch', details: 'The names are different.' };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Parses a printed Australian date, day first: "03 APR 1998", "03-04-1998", "3/4/1998". Null when it is not a date. */
export function parsePrintedDate(text: string): StudioDate | null {
  const match = /(\d{1,2})[\s./-]*([A-Za-z]{3,9}|\d{1,2})[\s./-]*(\d{4})/.exec(text);
  const [, day = '', month = '', year = ''] = match ?? [];
  const number = /^\d+$/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const iso = `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return match && isStudioDate(iso) ? iso : null;
}

/** Returns a date only when both of its readings agree. */
function agreedDate(date: PrintedDate): StudioDate | null {
  const printed = date.printed === null ? null : parsePrintedDate(date.printed);
  if (date.iso === null || !isStudioDate(date.iso)) return date.iso === null ? printed : null;
  return date.printed !== null && printed !== date.iso ? null : date.iso;
}

/**
 * Decides on a reading: verified, review or failed. The check fails when the holder is certainly under age, when the licence has certainly
 * expired, or when nothing could be read, so that the customer tries another photo. Any doubt leads to a review.
 */
export function judgeLicence(input: {
  reading: LicenceReading;
  profile: { fullName: string; dateOfBirth: StudioDate | null };
  today: StudioDate;
  /** The day of the session, if any: the licence must still be valid then. */
  sessionDate?: StudioDate;
  /** A hosted check verifies issuer and expiry itself but does not always report them; a photo must show them. */
  source?: 'photo' | 'hosted';
}): Judgement {
  const { reading, profile, today, sessionDate = today, source = 'photo' } = input;
  const born = agreedDate(reading.dateOfBirth);
  const expires = agreedDate(reading.expiry);
  const nameMatch = matchNames({ given: reading.givenNames, family: reading.familyName }, profile.fullName);
  const age = born === null ? null : ageOn(born, today);
  const isOver18 = age !== null && age >= MINIMUM_AGE;
  const isExpired = expires !== null && expires < today;
  const dobMatches = born !== null && born === profile.dateOfBirth;
  const facts = {
    isFinal: false,
    age,
    isOver18,
    isExpired,
    isNsw: reading.issuingState === 'NSW',
    nameMatch,
    dobMatches,
  };

  const nothingRead = born === null && reading.givenNames === null && reading.familyName === null;
  if (nothingRead || reading.documentKind === 'other') {
    const reason =
      reading.documentKind === 'other'
        ? 'This does not look like an Australian driver licence.'
        : 'We couldn’t read your ID. Please take a sharp, well-lit photo of the front.';
    return { ...facts, decision: 'failed', reasons: [reason] };
  }
  const certain = reading.confidence >= CONFIDENCE_NEEDED && reading.isLegible;
  const refusals: string[] = [];
  const isFinal = certain && age !== null && !isOver18;
  if (isFinal) refusals.push(UNDER_AGE);
  if (certain && isExpired) refusals.push('Your ID has expired.');
  else if (certain && expires !== null && expires < sessionDate) refusals.push('Your ID expires before your session.');
  if (refusals.length > 0) return { ...facts, isFinal, decision: 'failed', reasons: refusals };

  const doubts: string[] = [];
  if (!certain) doubts.push('We couldn’t read your ID clearly.');
  if (reading.documentKind === 'unclear' || reading.medium !== 'physical')
    doubts.push('We couldn’t tell if this is a photo of a physical licence.');
  if (born === null) doubts.push('We couldn’t read your date of birth.');
  else if (!dobMatches) doubts.push('The date of birth on your ID does not match your account.');
  if (nameMatch.status !== 'match') doubts.push('The name on your ID does not match your account.');
  const expiryNotGiven = reading.expiry.iso === null && reading.expiry.printed === null;
  if (expires === null && !(source === 'hosted' && expiryNotGiven)) doubts.push('We couldn’t read the expiry date.');
  const issuerNotGiven = reading.issuingState === null;
  if (!AUSTRALIAN_STATES.has(reading.issuingState ?? '') && !(source === 'hosted' && issuerNotGiven))
    doubts.push('We couldn’t tell if this is an Australian licence.');
  return { ...facts, decision: doubts.length === 0 ? 'verified' : 'review', reasons: doubts };
}

/** What staff read on an ID, and the account data that it is compared with. */
export type ReviewedId = {
  readonly givenNames: string | null;
  readonly familyName: string | null;
  readonly dateOfBirth: StudioDate | null;
  readonly expiryDate: StudioDate | null;
};

/**
 * Returns why staff must not approve an ID, as a sentence for them; null when they may. Age and expiry are rules for every account; staff
 * judge whether the names belong to the same person. A hosted check verifies the expiry itself but does not always report it.
 */
export function approvalProblem(id: ReviewedId, today: StudioDate, source: 'photo' | 'hosted'): string | null {
  if (id.givenNames === null && id.familyName === null) return 'Enter the name on the ID first.';
  if (id.dateOfBirth === null) return 'Enter the date of birth on the ID first.';
  if (ageOn(id.dateOfBirth, today) < MINIMUM_AGE) return 'The ID says under 18. It can’t be approved.';
  if (id.expiryDate === null) return source === 'hosted' ? null : 'Enter the expiry date on the ID first.';
  return id.expiryDate < today ? 'The ID has expired. It can’t be approved.' : null;
}

/** Computes the day of the 18th birthday. For a birthday on 29 February it is 1 March in a common year. */
export function adultFrom(born: StudioDate): StudioDate {
  const [year = 0, month = 1, day = 1] = born.split('-').map(Number);
  return new Date(Date.UTC(year + MINIMUM_AGE, month - 1, day)).toISOString().slice(0, 10);
}

/**
 * Returns the final answer to a customer whose licence shows that they are under 18. `adultOn`: the 18th birthday on that licence; `email`:
 * the address of the business.
 */
export function describeMinor(adultOn: StudioDate, email: string): string {
  return `Your licence says you turn 18 on ${formatStudioDate(adultOn)}. You can book from that day. If we read it wrong, please email ${email}.`;
}

/** Computes when a verification ends: after the licence's last day, or after 24 months if that is earlier. */
export function verificationExpiry(licenceExpiry: StudioDate | null, verifiedOn: StudioDate): Date {
  const [year = 0, month = 1, day = 1] = verifiedOn.split('-').map(Number);
  // Day 0 is the last day of the month before, so 29 February becomes 28 February in a common year.
  const lastDay = new Date(Date.UTC(year, month + VERIFICATION_MONTHS, 0)).getUTCDate();
  const end = Date.UTC(year, month - 1 + VERIFICATION_MONTHS, Math.min(day, lastDay));
  const later = new Date(end).toISOString().slice(0, 10);
  const last = licenceExpiry !== null && licenceExpiry < later ? licenceExpiry : later;
  return last < verifiedOn ? dayBounds(addDays(verifiedOn, -1)).end : dayBounds(last).end;
}

/** Returns what is wrong with an ID file; null when it is fine. */
export function validateIdFile(file: { type: string; size: number }): string | null {
  if (!file.type.startsWith('image/')) return 'Please upload an image file.';
  return file.size >= constants.idMaxBytes ? 'Please upload an image smaller than 10MB.' : null;
}

/** If a customer no longer has a valid ID check, an alert is raised this many minutes before the start of the booking. */
export const RAISE_MINUTES = 120;
/** Such a booking is cancelled this many minutes before its start, which is before its access code is made (an hour before the start). */
export const CANCEL_MINUTES = 65;
/** The minimum number of minutes between the alert and the cancellation, in which staff and the customer can act. */
export const NOTICE_MINUTES = 30;

const MINUTE = 60_000;

/**
 * Returns when a booking is cancelled after its alert was raised at `raisedAt`, unless staff decide otherwise. Null if it is never
 * cancelled, because the session would begin before that.
 */
export function cancelledAt(start: Date, raisedAt: Date): Date | null {
  const at = Math.max(start.getTime() - CANCEL_MINUTES * MINUTE, raisedAt.getTime() + NOTICE_MINUTES * MINUTE);
  return at < start.getTime() ? new Date(at) : null;
}
