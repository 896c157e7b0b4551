import type { Transaction } from '#server/db/database.ts';
import type { Contact } from './contact.ts';

/** The purposes of codes and links. */
export type TokenKind =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  /** Sent to the new address. */
  | 'email_change'
  /** Sent to the current address if both addresses must confirm. */
  | 'email_change_current'
  | 'reauthentication'
  | 'sms'
  | 'phone_change';

/** The subjects of account mails and text messages. `otp` becomes a sign-in or a sign-up confirmation when it is sent. */
export const MESSAGE_KINDS = [
  'signup',
  'invite',
  'otp',
  'magiclink',
  'recovery',
  'email_change',
  'email_change_current',
  'reauthentication',
  'sms',
  'phone_change',
  'account_exists',
  // Queued by triggers of the database, which see every change of an account.
  'password_changed',
  'account_changed',
  'email_replaced',
  'email_undone',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

export type NewMessage = Contact & {
  readonly kind: MessageKind;
  readonly userId?: string | undefined;
  /** The sign-up attempt whose code the message contains. */
  readonly attemptId?: string | null;
  /** `redirect_to` of the request; used only if it is allowed. */
  readonly redirectTo?: string | null | undefined;
};

/** Queues account mails and text messages. */
export type MessageQueue = {
  /**
   * Queues a message in the caller's transaction and returns its id. Whether the address has an account, and so whether anything is sent,
   * is looked up at delivery. The request therefore takes the same time either way.
   */
  add(tx: Transaction, message: NewMessage): Promise<string>;
  /** Starts sending in the background. Call it after the transaction. */
  wake(): void;
};
