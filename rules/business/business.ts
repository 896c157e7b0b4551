/** A titled part of the terms or of the privacy page. An empty line starts a new paragraph. */
export type Article = { readonly title: string; readonly text: string };

/** What every page may show about the business, as staff set it. */
export type Business = {
  readonly name: string;
  /** The seller's name on documents. */
  readonly legalName: string;
  /** Empty until the business is registered; documents are then titled "Receipt" instead of "Tax invoice". */
  readonly abn: string;
  readonly address: string;
  /** How to find the door; may be empty. */
  readonly directions: string;
  /** The name of an uploaded photo that is shown next to the directions; empty for none. */
  readonly directionsPhoto: string;
  /** What the photo shows, for people who cannot see it; may be empty. */
  readonly directionsPhotoText: string;
  readonly phone: string;
  readonly email: string;
  readonly instagram: string;
  /** A notice on all public pages; none while it is empty. */
  readonly notice: string;
  /** Minutes for which hours are held while the customer pays. */
  readonly holdMinutes: number;
  /** How many days ahead hours can be booked. */
  readonly horizonDays: number;
  /** A new booking can be cancelled for a full refund until this many hours before its start. */
  readonly freeCancelHours: number;
  /** The version of the terms that customers accept. After a new version, every customer has to accept again. */
  readonly termsVersion: string;
};

/** The texts of the terms and privacy pages. They may contain `{name}`, `{email}` and `{cancelHours}`. */
export type BusinessTexts = {
  readonly termsVersion: string;
  readonly terms: readonly Article[];
  readonly privacy: readonly Article[];
};

/** What an account may hold without having paid. */
export type HoldLimits = {
  /** The most unpaid holds at a time, and the most new holds in an hour. */
  readonly maxLiveHolds: number;
  readonly holdsPerHour: number;
  /** The most unpaid room-hours at a time, across all ways to hold them, and the most in one booking. */
  readonly maxUnpaidHours: number;
  readonly maxUnpaidHoursOfBooking: number;
};

/** Everything that staff set. `arrivalNotes` are for people with a booking; `salesAccount` is the account for sales in Xero. */
export type BusinessSettings = Business &
  BusinessTexts &
  HoldLimits & { readonly arrivalNotes: string; readonly salesAccount: string };

/** Returns the name in two lines, as in the logo: its first word, then the others. */
export function nameLines(name: string): readonly [string, string] {
  const [first = '', ...others] = name.split(' ');
  return [first, others.join(' ')];
}

/** Replaces the placeholders in a text with the details of the business. */
export function fillText(text: string, business: Pick<Business, 'name' | 'email' | 'freeCancelHours'>): string {
  return text
    .replaceAll('{name}', business.name)
    .replaceAll('{email}', business.email)
    .replaceAll('{cancelHours}', String(business.freeCancelHours));
}
