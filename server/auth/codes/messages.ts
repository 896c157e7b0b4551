import type { Contact } from '../core/request.ts';

/** What an account mail or text message is about. `otp` becomes a sign-in or a sign-up confirmation when it is sent. */
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
  'password_changed',
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
};

/** A rendered message. */
export type MessageContent =
  | { readonly to: 'email'; readonly subject: string; readonly html: string; readonly text: string }
  | { readonly to: 'phone'; readonly text: string };
