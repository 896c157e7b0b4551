import type { Business } from '#rules/business/business.ts';
import { type Block, type Letterhead, sentence, writeTo } from './layout.ts';

type From = Letterhead & Pick<Business, 'phone'>;

/** Describes how to reach us: by phone if we have one, otherwise by email. */
export const reach = ({ phone, email }: From): string => (phone === '' ? `write to ${email}` : `call us on ${phone}`);

/** States that the code is on hold and whom to contact. It does not mention a dispute, because guests of the booking may read the mail. */
export const heldBlock = ({ phone, email }: From): Block =>
  phone === ''
    ? sentence('Your access code is on hold. Please write to ', writeTo(email), ' before you come.')
    : sentence(
        'Your access code is on hold. Please call us on ',
        { text: phone, href: `tel:${phone.replaceAll(/[^\d+]/g, '')}` },
        ' before you come.',
      );

/** The same information for a text message. */
export const heldSentence = (from: From): string => `Your code is on hold: please ${reach(from)} before you come.`;
