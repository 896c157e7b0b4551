/**
 * Lists what the database may still hold after a person has deleted the account. A column that is missing here fails
 * tests/sql/deletion.test.ts.
 */

const list = (columns: string): string[] => columns.trim().split(/\s+/);

/** Words of the person that stay, with the reason and the time limit. */
export const KEPT_UNTIL: readonly (readonly [columns: string[], why: string, until: string])[] = [
  [
    list('private.booking.guest_name private.document.content'),
    'the buyer’s name on records of a sale',
    '30 June, five years after the financial year of the last payment (private.forget_buyers)',
  ],
  [
    list(
      'private.crew_code.lock_id private.crew_code.pin_encrypted private.crew_code.pin_fingerprint private.crew_member.request_id private.crew_member.token_hash',
    ),
    'the code of a guest that a lock may still have, encrypted, without the guest’s name',
    '30 days after the session (private.forget_crews)',
  ],
  [list('private.outbox.payload private.outbox.dedupe'), 'what jobs still have to delete', 'their end, seconds later'],
  [list('storage.deletion_queue.storage_key'), 'bytes that the cleanup still has to delete', 'its next run'],
];

/** Columns of the person’s bookings and payments that reveal nothing about the person. */
export const SAYS_NOTHING: readonly (readonly [columns: string[], why: string])[] = [
  [
    list(
      'private.booking.coupon_terms private.booking.policy private.booking.slots private.booking.studio_name private.booking.terms_version',
    ),
    'what was sold, and on which terms',
  ],
  [
    list(
      'private.booking.request_id private.incident.request_id private.partial_refund.request_key private.partial_refund.first_key',
    ),
    'a random number of a request, so that a repeat does nothing',
  ],
  [
    list(
      'private.payment.key private.payment.payment_intent_id private.payment.refund_id private.payment.session_id private.payment.refund_reason',
    ),
    'numbers of the payment at the provider, which refunds and the ledger need, and who began a refund',
  ],
  [list('private.dispute.provider_status private.dispute.reason'), 'words that the provider chooses from a list'],
  [
    list(
      'private.access_secret.lock_id private.access_secret.pin_encrypted private.access_secret.pin_fingerprint private.access_secret.provider_code_id',
    ),
    'a code of past hours, encrypted: late reports of the lock are recognised by it',
  ],
];

/** Columns of tables whose rows do not belong to customers. */
export const OF_NO_CUSTOMER: readonly (readonly [columns: string[], why: string])[] = [
  [
    list('private.campaign.body private.campaign.subject private.gift_batch.prefix public.discount_codes.code'),
    'news and codes',
  ],
  [list('private.calendar_feed.token_hash private.closure.reason'), 'calendars and closures of staff'],
  [
    list(
      'private.staff_code.lock_id private.staff_code.name private.staff_code.pin_encrypted private.staff_code.pin_fingerprint private.staff_code.request_id',
    ),
    'codes that staff make for people without a booking',
  ],
  [
    list('private.ledger_check.fees_and_payouts private.ledger_check.sums private.ledger_difference.currency'),
    'sums of a month',
  ],
  [
    list(
      'private.light_state.plug private.lock_event.lock_id private.lock_state.lock_id private.studio_lock.lock_id private.studio_plug.plug',
    ),
    'devices',
  ],
  [
    list(
      'public.studios.description public.studios.features public.studios.name public.studios.summary public.studios.title public.special_days.name',
    ),
    'rooms and days',
  ],
  [
    list(
      'private.migrations.checksum private.code_object.hash private.code_object.release private.code_object.retired_in private.task_lease.holder storage.buckets.allowed_mime_types storage.buckets.name',
    ),
    'the program itself',
  ],
];

/**
 * Columns in which the id of the account stays, as a record of who did what. Once the account is gone, the id does not lead to a person.
 */
export const NUMBER_STAYS =
  list(`auth.audit_log_entries.payload private.booking_move.actor private.cancellation.actor private.lock_event.actor
  private.partial_refund.actor public.audit_logs.actor public.audit_logs.resource_id storage.buckets.owner storage.buckets.owner_id
  private.outbox.subject_id private.shown_secret.shown_to private.shown_secret.subject_id`);
/** The topic contains the id of the account. Its partition is dropped after three days (realtime.maintain_messages). */
export const CHANNEL_STAYS = /^realtime\.messages(_\d{4}_\d{2}_\d{2})?\.topic$/;

/** Tables in which the person has no row here, with the reason. */
export const WITHOUT_ROW: readonly (readonly [tables: string[], why: string])[] = [
  [list('private.settings private.lease'), 'settings of the program'],
  [list('storage.deletion_queue'), 'bytes of deleted files, until the next cleanup'],
  [list('private.rate_bucket'), 'limits by account and address; a row goes when its limit is over, a day at most'],
  [list('private.webhook_inbox'), 'numbers of events at the provider, for 35 days'],
  [
    list('auth.mfa_challenges auth.replaced_emails private.lost_verification'),
    'they end with the factor or the account by a foreign key',
  ],
  [list('auth.used_proofs'), 'hashes, for an hour'],
  [
    list(`realtime.messages realtime.outbox realtime.outbox_mark realtime.outbox_epoch realtime.table_subscription realtime.reader realtime.process
      realtime.presence realtime.long_message`),
    'what sockets get, for seconds; messages for three days',
  ],
];
