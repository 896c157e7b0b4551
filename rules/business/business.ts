/** A titled part of the terms or of the privacy page. An empty line begins a paragraph. */
export type Article = { readonly title: string; readonly text: string };

/** What every page may show of the business, as staff set it. */
export type Business = {
  readonly name: string;
  /** The seller's name on documents. */
  readonly legalName: string;
  /** Empty until registered: documents then say "Receipt" instead of "Tax invoice". */
  readonly abn: string;
  readonly address: string;
  /** How to find the door; may be empty. */
  readonly directions: string;
  /** The name of an uploaded photo beside the directions; empty for none. */
  readonly directionsPhoto: string;
  /** What the photo shows, for people who cannot see it; may be empty. */
  readonly directionsPhotoText: string;
  readonly phone: string;
  readonly email: string;
  readonly instagram: string;
  /** Shown on all public pages while it is not empty. */
  readonly notice: string;
  /** How long hours are held while the customer pays. */
  readonly holdMinutes: number;
  /** How many days ahead hours can be booked. */
  readonly horizonDays: number;
  /** Until how many hours before its start a new booking can be cancelled with the money back. */
  readonly freeCancelHours: number;
  /** The version of the terms that customers accept. After a new version everybody has to accept again. */
  readonly termsVersion: string;
};

/** The texts of two pages. They may contain `{name}`, `{email}` and `{cancelHours}`. */
export type BusinessTexts = {
  readonly termsVersion: string;
  readonly terms: readonly Article[];
  readonly privacy: readonly Article[];
};

/** What an account may hold without having paid. */
export type HoldLimits = {
  /** Unpaid holds at a time, and new ones in an hour. */
  readonly maxLiveHolds: number;
  readonly holdsPerHour: number;
  /** Room-hours at a time, over all ways to hold them, and those of one booking. */
  readonly maxUnpaidHours: number;
  readonly maxUnpaidHoursOfBooking: number;
};

/** All that staff set. `arrivalNotes` are for people with a booking, `salesAccount` is the account of the sales in Xero. */
export type BusinessSettings = Business &
  BusinessTexts &
  HoldLimits & { readonly arrivalNotes: string; readonly salesAccount: string };

/** The name in two lines, as in the logo: its first word, then the others. */
export function nameLines(name: string): readonly [string, string] {
  const [first = '', ...others] = name.split(' ');
  return [first, others.join(' ')];
}

/** Writes the details of the business into a text of its pages. */
export function fillText(text: string, business: Pick<Business, 'name' | 'email' | 'freeCancelHours'>): string {
  return text
    .replaceAll('{name}', business.name)
    .replaceAll('{email}', business.email)
    .replaceAll('{cancelHours}', String(business.freeCancelHours));
}
