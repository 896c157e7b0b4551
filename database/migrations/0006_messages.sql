-- Account mails and text messages that wait to be sent. The row is written first, so none is lost. Its code is derived from its id, so
-- a repeat is the same message.

create table auth.message_queue (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind ~ '^[a-z_]{3,40}$'),
  email text,
  phone text,
  -- Null where only the address is known. Whether an account has it is looked up when the message is sent, so the request takes as long for
  -- an unknown address as for a known one.
  user_id uuid references auth.users (id) on delete cascade,
  attempt_id uuid references auth.signup_attempts (id) on delete set null,
  data jsonb not null default '{}',
  -- Where the link leads, when the request named an address that the operator allows; null: to our own page.
  redirect_to text check (char_length(redirect_to) <= 2100),
  due_at timestamptz not null,
  tries integer not null default 0,
  lease_until timestamptz not null default '-infinity',
  created_at timestamptz not null,
  constraint message_queue_one_recipient check (num_nonnulls(email, phone) = 1)
);
create index message_queue_due on auth.message_queue (due_at);
create index message_queue_by_user on auth.message_queue (user_id);
alter table auth.message_queue enable row level security, force row level security;
