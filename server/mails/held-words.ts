import type { Business } from '#rules/business/business.ts';
import { type Block, type Letterhead, sentence, writeTo } from './layout.ts';

type From = Letterhead & Pick<Business, 'phone'>;

/** How to reach us, as words: by phone if there is one. */
export const reach = ({ phone, email }: From): string => (phone === '' ? `write to ${email}` : `call us on ${phone}`);

/** Says that the code is on hold and whom to call. It names no dispute: the mail may be read by guests of the booking. */
export const heldBlock = ({ phone, email }: From): Block =>
  phone === ''
    ? sentence('Your access code is on hold. Please write to ', writeTo(email), ' before you come.')
    : sentence(
        'Your access code is on hold. Please call us on ',
        { text: phone, href: `tel:${phone.replaceAll(/[^\d+]/g, '')}` },
        ' before you come.',
      );

/** The same in a text message. */
export const heldSentence = (from: From): string => `Your code is on hold: please ${reach(from)} before you come.`;
