import type { Transaction } from '#server/db/database.ts';

/** The events of an account. The names are Supabase Auth's where it has the same event. */
type AuditAction =
  | 'user_signedup'
  | 'user_repeated_signup'
  | 'user_confirmed'
  | 'login'
  | 'login_failed'
  | 'logout'
  | 'token_refreshed'
  | 'token_reused'
  | 'user_recovery_requested'
  | 'user_modified'
  | 'user_updated_password'
  | 'user_email_change_requested'
  | 'user_email_changed'
  | 'user_email_undo_begun'
  | 'user_email_undone'
  | 'user_phone_change_requested'
  | 'user_phone_changed'
  | 'user_reauthenticate_requested'
  | 'user_otp_requested'
  | 'user_confirmation_requested'
  | 'otp_failed'
  | 'user_invited'
  | 'user_deleted'
  | 'session_expired'
  | 'session_ended'
  | 'generate_link_requested'
  | 'factor_in_progress'
  | 'challenge_created'
  | 'verification_attempted'
  | 'factor_unenrolled'
  | 'factor_deleted'
  | 'passkey_created'
  | 'passkey_updated'
  | 'passkey_deleted'
  | 'passkey_refused'
  | 'identity_linked'
  | 'identity_unlinked';

type AuditEvent = {
  readonly action: AuditAction;
  readonly actorId: string | null;
  readonly at: Date;
  readonly ip?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
};

/** Returns the values of `(payload, ip_address, created_at)` for an event's row. */
export function auditValues(event: AuditEvent): readonly [Record<string, unknown>, string, Date] {
  return [{ ...event.details, action: event.action, actor_id: event.actorId }, event.ip ?? '', event.at];
}

/** Writes an event to the audit log, in the transaction of the event. */
export async function recordEvent(tx: Transaction, event: AuditEvent): Promise<void> {
  await tx.query(
    `insert into auth.audit_log_entries (payload, ip_address, created_at) values ($1::jsonb, $2, $3::timestamptz)`,
    auditValues(event),
  );
}
