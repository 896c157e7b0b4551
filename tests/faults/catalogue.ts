import { ACCESS } from './access.ts';
import { BOOKINGS } from './bookings.ts';
import type { Fault } from './fault.ts';
import { IDENTITY } from './identity.ts';
import { MONEY } from './money.ts';
import { PRIVACY } from './privacy.ts';
import { SESSIONS } from './sessions.ts';
import { STAFF } from './staff.ts';
import { WEB } from './web.ts';

/** All faults by area. */
export const CATALOGUE: Readonly<Record<string, readonly Fault[]>> = {
  money: MONEY,
  access: ACCESS,
  identity: IDENTITY,
  bookings: BOOKINGS,
  sessions: SESSIONS,
  staff: STAFF,
  web: WEB,
  privacy: PRIVACY,
};

/** Returns how often the text of a fault occurs in its file: once, unless the file has changed. */
export const occurrences = (text: string, { find }: Pick<Fault, 'find'>): number => text.split(find).length - 1;
