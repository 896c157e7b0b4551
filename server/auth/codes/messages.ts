import type { AccountChange } from '#server/mails/account/account-changed.ts';
import type { MessageKind } from '../core/message-queue.ts';

/** A message as it is sent. Its codes are derived from `id`. */
export type Message = {
  readonly id: string;
  readonly kind: MessageKind;
  /** Null for a text message. */
  readonly email: string | null;
  readonly phone: string | null;
  /** Null: the account is looked up by the address. */
  readonly userId: string | null;
  readonly attemptId: string | null;
  /** An allowed page of another app; null: our own page. */
  readonly redirectTo: string | null;
  readonly requestedAt: Date;
  /** What changed, of the kind `account_changed`. */
  readonly change: AccountChange | null;
};

/** A rendered message. */
export type MessageContent =
  | { readonly to: 'email'; readonly subject: string; readonly html: string; readonly text: string }
  | { readonly to: 'phone'; readonly text: string };
