import type { AccountChange } from '#server/mails/account/account-changed.ts';
import type { MessageKind } from '../core/message-queue.ts';

/** A message as it is sent. Its codes are derived from `id`. */
export type Message = {
  readonly id: string;
  readonly kind: MessageKind;
  /** The recipient's address. Null for a text message. */
  readonly email: string | null;
  readonly phone: string | null;
  /** Null if the account must be looked up by the address. */
  readonly userId: string | null;
  readonly attemptId: string | null;
  /** An allowed page of another app, or null for our own page. */
  readonly redirectTo: string | null;
  readonly requestedAt: Date;
  /** The change that a message of kind `account_changed` reports. */
  readonly change: AccountChange | null;
};

export type MessageContent =
  | { readonly to: 'email'; readonly subject: string; readonly html: string; readonly text: string }
  | { readonly to: 'phone'; readonly text: string };
