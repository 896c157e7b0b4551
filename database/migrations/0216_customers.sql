-- Customers whom staff have blocked. They can neither hold hours nor pay.
create table private.customer_block (
  user_id uuid not null,
  -- For staff. Customers cannot read it.
  reason text not null,
  -- Null: until staff unblock the customer.
  until timestamptz,
  -- The nil UUID for the service key.
  blocked_by uuid not null,
  blocked_at timestamptz not null,
  constraint customer_block_pkey primary key (user_id),
  constraint customer_block_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint customer_block_reason_check check (char_length(reason) between 1 and 500)
);
alter table private.customer_block enable row level security, force row level security;

-- Notes of staff about customers. They are only added, never changed, so they are their own history. Customers cannot
-- read them.
create table private.customer_note (
  id uuid not null,
  user_id uuid not null,
  note text not null,
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint customer_note_pkey primary key (id),
  constraint customer_note_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint customer_note_note_check check (char_length(note) between 1 and 2000)
);
create index customer_note_by_user on private.customer_note (user_id, created_at desc);
alter table private.customer_note enable row level security, force row level security;

-- Emails that staff wrote to customers.
create table private.customer_message (
  id uuid not null,
  user_id uuid not null,
  subject text not null,
  body text not null,
  made_by uuid not null,
  created_at timestamptz not null,
  constraint customer_message_pkey primary key (id),
  constraint customer_message_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint customer_message_body_check check (char_length(body) between 1 and 10000),
  constraint customer_message_subject_check check (
    (char_length(subject) between 1 and 150) and (subject !~ '[\r\n]')
  )
);
create index customer_message_by_user on private.customer_message (user_id, created_at desc);
alter table private.customer_message enable row level security, force row level security;
