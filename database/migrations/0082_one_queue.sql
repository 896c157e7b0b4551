-- Account mails and text messages are jobs of the outbox too: one claim, one lease, one back-off, one alert for everything that must
-- happen later. The rows that wait move with their ids, because codes are derived from them.

-- Whom the job writes to, as an address or the digits of a phone number; null: looked up when it runs.
alter table private.outbox add column recipient text check (char_length(recipient) between 1 and 320);
create index outbox_recipient on private.outbox (recipient) where recipient is not null and done_at is null;

insert into private.outbox (id, kind, subject_id, dedupe, recipient, payload, due_at, deadline_at, tries, created_at)
select
  q.id,
  case when q.email is null then 'account-text.' else 'account-mail.' end || q.kind,
  coalesce(q.user_id, q.id),
  q.id::text,
  coalesce(q.email, q.phone),
  pg_catalog.jsonb_build_object(
    'userId', q.user_id, 'attemptId', q.attempt_id, 'redirectTo', q.redirect_to, 'requestedAt', q.created_at
  ),
  q.due_at,
  case when q.kind not in ('password_changed', 'invite') then q.created_at + interval '1 hour' end,
  q.tries,
  q.created_at
from auth.message_queue q;

drop table auth.message_queue;
