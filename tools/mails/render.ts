import { accountMails } from './account-samples.ts';
import { bookingMails } from './booking-samples.ts';
import type { Rendered } from './sample.ts';
import { staffMails } from './staff-samples.ts';

/** Renders each template of server/mails with its samples. */
export const renderMails = (): readonly Rendered[] => [...bookingMails(), ...accountMails(), ...staffMails()];
