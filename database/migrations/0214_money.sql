-- Payments, as the payment provider reports them. A row is written before each call to the provider, with the
-- idempotency key of that call.
create table private.payment (
  id uuid default gen_random_uuid() not null,
  booking_id uuid not null,
  attempt integer not null,
  -- elsewhere: staff received the money without the provider, for example in cash. Such a payment is neither compared
  -- with the provider nor refunded there.
  kind text not null,
  -- processing: the customer has finished, but the money takes days (bank debit), and the booking stays held.
  -- failed: such a payment did not arrive, and nothing was charged.
  -- refund_manual: staff settled the refund themselves.
  -- dispute_lost: the money went back through the customer's bank.
  state text default 'intent' not null,
  -- The idempotency key of the call that creates the session. It is new with each attempt.
  key text not null,
  session_id text,
  url text,
  session_expires_at timestamptz,
  payment_intent_id text,
  amount_cents integer not null,
  currency text default 'aud' not null,
  -- The amount that was charged and can be refunded. It differs from `amount_cents` only if the amount did not match.
  paid_cents integer,
  -- The sum of all refunds that succeeded, regardless of who made them.
  refunded_cents integer default 0 not null,
  refund_id text,
  refund_reason text,
  dispute_id text,
  dispute_status text,
  -- When reconciliation last compared a payment that is not final with the provider.
  checked_at timestamptz,
  processing_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  -- The move of the booking that was paid for. Null: the booking itself.
  move_number integer,
  -- The provider's ID of the saved card that this attempt charges. Null: the customer pays on the pay page.
  card text,
  -- When the provider was asked to charge the saved card.
  card_at timestamptz,
  -- Grace period during which a replaced session may expire without releasing the hold.
  replaced_until timestamptz,
  -- For payments of an order, including the first one: the payment of the order's first booking. Null: the payment of a
  -- single booking.
  share_of uuid,
  constraint payment_pkey primary key (id),
  constraint payment_booking_id_attempt_key unique (booking_id, attempt),
  constraint payment_key_key unique (key),
  constraint payment_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint payment_share_of_fkey foreign key (share_of) references private.payment(id),
  constraint payment_amount_cents_check check (amount_cents >= 0),
  constraint payment_attempt_check check (attempt > 0),
  constraint payment_card check ((card is null) or ((card <> '') and (kind = 'card'))),
  constraint payment_currency_check check (currency = 'aud'),
  constraint payment_dispute check ((dispute_id is null) = (dispute_status is null)),
  constraint payment_dispute_status_check check (dispute_status = any (array['open', 'won', 'lost'])),
  constraint payment_elsewhere_by_hand check (
    (kind <> 'elsewhere')
    or (
      (session_id is null) and (payment_intent_id is null) and (state = any (array['paid', 'refunded']))
    )
  ),
  constraint payment_free_costs_nothing check ((kind <> 'free') or (amount_cents = 0)),
  constraint payment_kind_check check (kind = any (array['card', 'free', 'elsewhere'])),
  constraint payment_move_number_check check (move_number > 0),
  constraint payment_paid_cents_check check (paid_cents >= 0),
  constraint payment_refunded_cents_check check (refunded_cents >= 0),
  constraint payment_state_check check (
    state = any (array[
      'intent', 'open', 'processing', 'failed', 'expired', 'paid', 'refund_pending', 'refunded', 'refund_failed',
      'refund_manual', 'disputed', 'dispute_lost'
    ])
  )
);
create index payment_by_intent on private.payment (payment_intent_id) where payment_intent_id is not null;
-- A booking has at most one open session, and at most one payment that was received for itself and for each move.
create unique index payment_one_open on private.payment (booking_id)
  where state = any (array['intent', 'open', 'processing']);
create unique index payment_one_paid on private.payment (booking_id, coalesce(move_number, 0))
  where state = any (array['paid', 'disputed']);
-- Exports read a range of time page by page, in the order of this index.
create index payment_paid on private.payment (paid_at, id) where paid_at is not null;
-- For the income of a range of time in the back office. Without this index, such reads take too long with 100,000
-- bookings.
create index payment_paid_cents on private.payment (paid_at) include (paid_cents, booking_id)
  where ((paid_at is not null) and (paid_cents > 0));
create unique index payment_session on private.payment (session_id) where ((share_of is null) or (share_of = id));
create index payment_shares on private.payment (share_of) where share_of is not null;
create index payment_to_check on private.payment (checked_at nulls first)
  where state = any (array['processing', 'refund_pending', 'refund_failed', 'disputed']);
create index payment_to_refund on private.payment (updated_at)
  where state = any (array['refund_pending', 'refund_failed']);
-- Payments with a dispute that is not won. It withholds the booking's access code until staff decide or it is won.
create index payment_unwon_dispute on private.payment (booking_id)
  where dispute_status = any (array['open', 'lost']);
alter table private.payment enable row level security, force row level security;
grant select on private.payment to booking_reader;

-- All refunds at the provider, whether made by the server or in the provider's dashboard.
create table private.refund (
  id text not null,
  payment_id uuid not null,
  amount_cents integer not null,
  status text not null,
  -- False if a person made the refund at the provider.
  ours boolean not null,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint refund_pkey primary key (id, payment_id),
  constraint refund_payment_id_fkey foreign key (payment_id) references private.payment(id),
  constraint refund_amount_cents_check check (amount_cents > 0),
  constraint refund_status_check check (
    status = any (array['pending', 'requires_action', 'succeeded', 'canceled', 'failed'])
  )
);
create index refund_by_payment on private.refund (payment_id);
-- Exports read a range of time page by page, in the order of this index.
create index refund_created on private.refund (created_at, id);
alter table private.refund enable row level security, force row level security;

-- The webhook inbox: events of the payment provider. An event is stored first and then looked up at the provider,
-- because its content is not trusted. Reconciliation stores what it finds missing here too, under an ID that is made
-- from what it saw.
create table private.webhook_inbox (
  provider text not null,
  event_id text not null,
  type text not null,
  object_id text not null,
  payment_intent_id text,
  livemode boolean,
  tries integer default 0 not null,
  next_try_at timestamptz,
  last_error text,
  received_at timestamptz default clock_timestamp() not null,
  handled_at timestamptz,
  constraint webhook_inbox_pkey primary key (provider, event_id)
);
-- Lets reconciliation, which deletes old events every five minutes, find them without reading the others
-- (docs/scale.md).
create index webhook_inbox_handled on private.webhook_inbox (handled_at) where handled_at is not null;
create index webhook_inbox_waiting on private.webhook_inbox (next_try_at nulls first) where handled_at is null;
alter table private.webhook_inbox enable row level security, force row level security;

-- Cancellations by staff, with their decision about the money. A full refund is recorded in the state of the payment. A
-- partial refund is a row of private.partial_refund, and the payment stays paid.
create table private.cancellation (
  booking_id uuid not null,
  refund text not null,
  -- The amount that goes back because of the cancellation. 0 for the full refund of a disputed payment, which is due
  -- only once the bank decides in our favour.
  refund_cents integer not null,
  reason text not null,
  actor uuid not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint cancellation_pkey primary key (booking_id),
  constraint cancellation_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint cancellation_reason_check check (char_length(reason) between 1 and 500),
  constraint cancellation_refund check (
    case refund
      when 'none' then (refund_cents = 0)
      when 'part' then (refund_cents > 0)
      else true
    end
  ),
  constraint cancellation_refund_cents_check check (refund_cents >= 0),
  constraint cancellation_refund_check check (refund = any (array['full', 'part', 'none']))
);
alter table private.cancellation enable row level security, force row level security;

-- Refunds of a part of a payment.
create table private.partial_refund (
  id uuid default gen_random_uuid() not null,
  payment_id uuid not null,
  -- A repeated request with the same key makes one refund.
  request_key text not null,
  amount_cents integer not null,
  reason text not null,
  actor uuid not null,
  -- pending: due or on its way. done: arrived. covered: the money went back in another way, so none is sent.
  -- manual: staff settled the refund themselves.
  state text default 'pending' not null,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  -- The idempotency key of the first attempt. Null for the usual key, `refund:` and the ID. Refunds that were queued
  -- when the usual key was introduced keep their key, because a request with it may have been under way.
  first_key text,
  constraint partial_refund_pkey primary key (id),
  constraint partial_refund_payment_id_request_key_key unique (payment_id, request_key),
  constraint partial_refund_payment_id_fkey foreign key (payment_id) references private.payment(id),
  constraint partial_refund_amount_cents_check check (amount_cents > 0),
  constraint partial_refund_first_key_check check (char_length(first_key) between 1 and 100),
  constraint partial_refund_reason_check check (char_length(reason) between 1 and 500),
  constraint partial_refund_request_key_check check (char_length(request_key) between 1 and 600),
  constraint partial_refund_state_check check (state = any (array['pending', 'done', 'covered', 'manual']))
);
alter table private.partial_refund enable row level security, force row level security;

-- All disputes at the payment provider. The customer's bank takes the money when a dispute opens, and gives it back if
-- we win.
create table private.dispute (
  id text not null,
  payment_id uuid not null,
  status text not null,
  -- The provider's own status, such as needs_response or under_review.
  provider_status text not null,
  needs_response boolean not null,
  reason text,
  amount_cents integer not null,
  -- When evidence must have reached the bank.
  due_at timestamptz,
  opened_at timestamptz not null,
  updated_at timestamptz default clock_timestamp() not null,
  won_at timestamptz,
  constraint dispute_pkey primary key (id),
  constraint dispute_payment_id_fkey foreign key (payment_id) references private.payment(id),
  constraint dispute_amount_cents_check check (amount_cents >= 0),
  constraint dispute_open_needs_response check ((status = 'open') or (not needs_response)),
  constraint dispute_provider_status_check check (char_length(provider_status) between 1 and 60),
  constraint dispute_reason_check check (char_length(reason) between 1 and 60),
  constraint dispute_status_check check (status = any (array['open', 'won', 'lost'])),
  constraint dispute_won_at check ((won_at is null) or (status = 'won'))
);
create index dispute_by_opening on private.dispute (opened_at, id);
create index dispute_by_payment on private.dispute (payment_id);
create index dispute_by_win on private.dispute (won_at, id) where won_at is not null;
alter table private.dispute enable row level security, force row level security;

-- Disputed bookings whose sessions staff allow anyway. Their reason is in the audit log.
create table private.kept_dispute (
  booking_id uuid not null,
  dispute_id text not null,
  kept_at timestamptz not null,
  -- The nil UUID for the service key.
  kept_by uuid not null,
  constraint kept_dispute_pkey primary key (booking_id, dispute_id),
  constraint kept_dispute_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint kept_dispute_dispute_id_check check (char_length(dispute_id) between 1 and 255)
);
alter table private.kept_dispute enable row level security, force row level security;

-- The newest comparison of each month's payments, refunds and disputes with the payment provider's ledger.
create table private.ledger_check (
  id uuid default gen_random_uuid() not null,
  -- The first day of the month, in Sydney.
  month date not null,
  -- The nil UUID for the service key and the nightly comparison.
  started_by uuid not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- [{kind, here: {count, cents}, there: {count, cents}}]
  sums jsonb default '[]'::jsonb not null,
  -- The provider's fees and payouts in the month.
  fees_and_payouts jsonb,
  constraint ledger_check_pkey primary key (id),
  constraint ledger_check_month_key unique (month),
  constraint ledger_check_month_check check (EXTRACT(day from month) = (1)::numeric),
  constraint ledger_check_order check (finished_at >= started_at),
  constraint ledger_check_sums_check check (jsonb_typeof(sums) = 'array')
);
alter table private.ledger_check enable row level security, force row level security;

-- The differences that a comparison with the ledger found.
create table private.ledger_difference (
  check_id uuid not null,
  kind text not null,
  -- The provider's ID of the payment, refund or dispute.
  provider_id text not null,
  name text not null,
  booking_id uuid,
  here_cents bigint,
  there_cents bigint,
  currency text,
  at timestamptz not null,
  -- When the difference was first found. A later comparison that finds it again keeps this time.
  found_at timestamptz not null,
  constraint ledger_difference_pkey primary key (check_id, kind, provider_id, name),
  constraint ledger_difference_booking_id_fkey
    foreign key (booking_id) references private.booking(id) on delete set null,
  constraint ledger_difference_check_id_fkey
    foreign key (check_id) references private.ledger_check(id) on delete cascade,
  constraint ledger_difference_currency_check check (char_length(currency) between 1 and 10),
  constraint ledger_difference_kind_check check (kind = any (array['payment', 'refund', 'dispute'])),
  constraint ledger_difference_name_check check (
    name = any (array['missing_here', 'missing_there', 'other_amount', 'other_currency'])
  ),
  constraint ledger_difference_provider_id_check check (char_length(provider_id) between 1 and 255)
);
create index ledger_difference_booking on private.ledger_difference (booking_id);
-- The page shows 200 differences of a month. If the ledger could not be read completely, a comparison can find as many
-- differences as there are payments.
create index ledger_difference_by_time on private.ledger_difference (check_id, at, kind, provider_id);
alter table private.ledger_difference enable row level security, force row level security;

-- Tax invoices and adjustment notes: one for each payment that bought hours, and one for each of its refunds that
-- arrived.
create table private.document (
  -- Numbers have no gaps: each is taken at the end of the transaction that settles the money, by one transaction at a
  -- time.
  number integer not null,
  kind text not null,
  booking_id uuid not null,
  payment_id uuid not null,
  -- The refund of the payment that an adjustment note is for.
  refund_key text,
  cents integer not null,
  -- The seller, the buyer and the items at the time of issue.
  content jsonb not null,
  issued_at timestamptz not null,
  -- When the refund turned out not to have arrived after all. The document keeps its number.
  voided_at timestamptz,
  constraint document_pkey primary key (number),
  constraint document_once unique nulls not distinct (payment_id, refund_key),
  constraint document_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint document_payment_id_fkey foreign key (payment_id) references private.payment(id),
  constraint document_cents_check check (cents > 0),
  constraint document_kind_check check (kind = any (array['invoice', 'adjustment'])),
  constraint document_number_check check (number > 0),
  constraint document_of_refund check ((kind = 'adjustment') = (refund_key is not null))
);
create index document_by_booking on private.document (booking_id);
alter table private.document enable row level security, force row level security;

-- The payment provider's customer for each account that has saved cards. Only the provider stores the cards themselves.
create table private.provider_customer (
  user_id uuid not null,
  customer_id text not null,
  -- The email address that the provider has. Null until it is first sent.
  email text,
  created_at timestamptz default clock_timestamp() not null,
  constraint provider_customer_pkey primary key (user_id),
  constraint provider_customer_customer_id_key unique (customer_id),
  constraint provider_customer_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);
alter table private.provider_customer enable row level security, force row level security;
