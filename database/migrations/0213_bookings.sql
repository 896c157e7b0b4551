-- Bookings. A pending booking is a hold. It is confirmed when it is paid for, or released after the payment provider
-- has closed its session.
create table private.booking (
  id uuid default gen_random_uuid() not null,
  reference text not null,
  user_id uuid,
  studio_id uuid not null,
  studio_name text not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  during tstzrange generated always as (tstzrange(start_time, end_time, '[)')) stored,
  status text default 'pending' not null,
  cancel_reason text,
  hold_expires_at timestamptz,
  -- The number of hours by the clock in Sydney. On two days a year it differs from the elapsed time.
  total_hours numeric(4,1) not null,
  slots jsonb default '[]'::jsonb not null,
  base_cost_cents integer not null,
  discount_cents integer default 0 not null,
  coupon_id uuid,
  -- The code, type and value of the coupon, frozen with the price.
  coupon_terms jsonb,
  coupon_discount_cents integer default 0 not null,
  final_cost_cents integer not null,
  id_verification_id uuid,
  terms_version text,
  -- The cancellation terms at the time of booking.
  policy jsonb default '{}'::jsonb not null,
  -- The phone number that was given with the payment, which staff call. It may differ from that of the account.
  contact_phone text,
  guest_email text,
  -- 'test' marks a test booking of staff.
  notes text,
  created_at timestamptz default clock_timestamp() not null,
  updated_at timestamptz default clock_timestamp() not null,
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  -- For bookings that staff make for a guest. For bookings of deleted accounts, the name of the buyer.
  guest_name text,
  -- Who made the booking for an account or a guest. It is paid with a mailed link, free or paid elsewhere. Null if the
  -- customer made it.
  made_by uuid,
  request_id text,
  waived_cents integer default 0 not null,
  -- How often the confirmed booking was moved to other hours or another studio. A moved booking stays the same row, so
  -- its payment, reference, coupon and links stay too.
  moves integer default 0 not null,
  -- If this is the hold of a waiting move: the booking that moves, and the number of the move. The hold keeps the new,
  -- dearer hours until the difference is paid. The payment then becomes one of the moved booking, and the hold ends.
  moves_booking uuid,
  move_number integer,
  -- When and by whom the booking was marked as a no-show. The nil UUID stands for the service key.
  no_show_at timestamptz,
  no_show_by uuid,
  -- The entry of the wait list, if this is a claim.
  waitlist_entry_id uuid,
  -- For bookings of deleted accounts, the last day for which tax records need the buyer's name. Null if the account
  -- exists or the name is not needed.
  name_until date,
  -- The first booking of the order. An order has two to eight bookings of one customer that are held and paid for
  -- together, such as the same hours each week. Each booking has its share of the payment as a payment of its own, so
  -- after the payment, each changes like any other booking.
  order_id uuid,
  order_place smallint,
  order_size smallint,
  -- The start from which the cancellation terms count, if it is not `start_time`.
  terms_start timestamptz,
  -- The difference of moves that is too small for a payment. It waits until it is large enough. Positive if the
  -- customer has still to pay it, negative if it has still to go back.
  owed_cents integer default 0 not null,
  -- When the customer was blocked, once staff have decided to keep the booking despite that block. Until they decide, a
  -- paid booking of a blocked customer is an alert.
  kept_in_block timestamptz,
  -- Whether this is an early hold. While a customer verifies an ID for the first time, it holds the chosen hours for
  -- ten minutes, so that no other customer takes them. Like a claim of the wait list, it is a pending row without a
  -- price and payment, which the exclusion constraint, closures, live pages and the task that releases expired holds
  -- treat like any other hold. The hold with which the customer books the hours replaces it, and no payment can
  -- confirm it.
  early boolean default false not null,
  constraint booking_pkey primary key (id),
  constraint booking_reference_key unique (reference),
  -- Bookings of a studio do not overlap. Only the hold of a move may overlap the booking that it moves. Insert with
  -- `on conflict do nothing`: many concurrent plain inserts into this constraint deadlock.
  constraint booking_one_per_slot
    exclude using gist (studio_id with =, during with &&, coalesce(moves_booking, id) with <>)
    where ((status = any (array['pending', 'confirmed']))),
  constraint booking_coupon_id_fkey foreign key (coupon_id) references public.discount_codes(id),
  constraint booking_moves_booking_fkey foreign key (moves_booking) references private.booking(id),
  constraint booking_order_id_fkey foreign key (order_id) references private.booking(id),
  constraint booking_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint booking_user_id_fkey foreign key (user_id) references auth.users(id) on delete set null,
  constraint booking_waitlist_entry_id_fkey
    foreign key (waitlist_entry_id) references public.waitlist_entries(id) on delete set null,
  constraint booking_at_most_a_day check (end_time <= (start_time + '25:00:00'::interval)),
  constraint booking_base_cost_cents_check check (base_cost_cents >= 0),
  constraint booking_cancel_reason_check check (
    cancel_reason = any (array[
      'hold_expired', 'abandoned', 'customer', 'staff', 'payment_failed', 'slot_lost', 'amount_mismatch', 'replaced',
      'test_over'
    ])
  ),
  constraint booking_cancelled_has_reason check ((status = 'cancelled') = (cancel_reason is not null)),
  constraint booking_claim_is_no_booking check ((waitlist_entry_id is null) or (status <> 'confirmed')),
  constraint booking_contact_phone_check check (contact_phone ~ '^\+?[0-9]{8,20}$'),
  constraint booking_coupon_discount_cents_check check (coupon_discount_cents >= 0),
  constraint booking_coupon_terms check ((coupon_terms is null) or (coupon_id is not null)),
  constraint booking_discount_cents_check check (discount_cents >= 0),
  constraint booking_early_is_no_booking check (
    (not early)
    or (
      (status <> 'confirmed') and (waitlist_entry_id is null) and (moves_booking is null) and (order_id is null)
    )
  ),
  constraint booking_ends_after_start check (end_time > start_time),
  constraint booking_final_cost_cents_check check (final_cost_cents >= 0),
  constraint booking_guest_email_check check (char_length(guest_email) <= 255),
  constraint booking_guest_name_check check (char_length(guest_name) between 1 and 200),
  constraint booking_move_hold check (
    ((moves_booking is null) = (move_number is null))
    and (
      (moves_booking is null) or ((status <> 'confirmed') and (user_id is null) and (guest_email is null))
    )
  ),
  constraint booking_moves_check check (moves >= 0),
  constraint booking_no_show check ((no_show_at is null) = (no_show_by is null)),
  constraint booking_notes_check check (char_length(notes) <= 2000),
  constraint booking_order check (
    ((order_id is null) = (order_place is null)) and ((order_id is null) = (order_size is null))
    and (order_place <= order_size)
    and ((order_id is null) or ((order_id = id) = (order_place = 1)))
    and ((order_id is null) or ((moves_booking is null) and (waitlist_entry_id is null)))
  ),
  constraint booking_order_place_check check (order_place > 0),
  constraint booking_order_size_check check (order_size between 2 and 8),
  constraint booking_owed_cents_check check (owed_cents between '-49'::integer and 49),
  constraint booking_pending_expires check ((status <> 'pending') or (hold_expires_at is not null)),
  constraint booking_plain check (
    private.is_plain(guest_name) and private.is_plain(guest_email) and private.is_plain(notes, true)
  ),
  constraint booking_reference_check check (reference ~ '^[A-Z0-9]{4}-[A-Z0-9]{4}$'),
  constraint booking_request_id_check check (char_length(request_id) between 1 and 100),
  constraint booking_status_check check (status = any (array['pending', 'confirmed', 'cancelled'])),
  constraint booking_total_hours_check check ((total_hours > (0)::numeric) and (total_hours <= (24)::numeric)),
  constraint booking_waived_cents_check check (waived_cents >= 0)
);
create index booking_availability on private.booking (studio_id, start_time) include (end_time, status, user_id);
-- For the totals of coupons: the confirmed bookings with their prices and discounts.
create index booking_by_coupon on private.booking (coupon_id) include (final_cost_cents, coupon_discount_cents)
  where ((coupon_id is not null) and (status = 'confirmed'));
create index booking_by_guest on private.booking (guest_email, start_time)
  where ((user_id is null) and (guest_email is not null));
create unique index booking_by_order on private.booking (order_id, order_place) where order_id is not null;
-- Finds the bookings of all studios by time. Such queries stay fast with millions of bookings (docs/scale.md).
create index booking_by_start on private.booking (start_time);
create index booking_by_user on private.booking (user_id, start_time desc);
create index booking_claims on private.booking (waitlist_entry_id) where waitlist_entry_id is not null;
create index booking_early_by_studio on private.booking (studio_id, created_at) where early;
create index booking_early_by_user on private.booking (user_id, created_at) where early;
create index booking_expiring on private.booking (hold_expires_at) where status = 'pending';
create index booking_guest_newest on private.booking (start_time desc, id)
  where ((user_id is null) and (waitlist_entry_id is null) and (moves_booking is null));
create index booking_guest_search on private.booking using gin (
  lower((
    ((((coalesce(guest_name, '') || ' ') || coalesce(guest_email, '')) || ' ') || coalesce(contact_phone, ''))
    collate "und-x-icu"
  )) extensions.gin_trgm_ops
) where ((user_id is null) and (waitlist_entry_id is null) and (moves_booking is null));
create index booking_move_holds on private.booking (moves_booking) where moves_booking is not null;
create index booking_name_until on private.booking (name_until) where name_until is not null;
create index booking_newest on private.booking (created_at desc);
-- A repeated request creates one booking.
create unique index booking_request on private.booking (request_id) where request_id is not null;
-- For the bookings that are running, so that reads of staff do not take longer with every past booking. The planner
-- expects far fewer bookings to have begun in the last 25 hours and not ended than there are. Without this index, it
-- read whole tables if it could not know that only a hundred entries are requested.
create index booking_running on private.booking (start_time) include (end_time, id) where status <> 'cancelled';
-- For the sold hours of a range of time, which the back office adds up. Without this index, such reads take too long
-- with 100,000 bookings.
create index booking_sold_hours on private.booking (start_time) include (end_time, studio_id)
  where ((status = 'confirmed') and (notes is distinct from 'test'));
alter table private.booking enable row level security, force row level security;
grant select on private.booking to booking_reader;
alter table private.coupon_redemption
  add constraint coupon_redemption_booking_id_fkey foreign key (booking_id) references private.booking(id);

-- The state of the booking pages while a person signs in, so that they can continue on any device.
create table public.booking_drafts (
  user_id uuid default auth.uid() not null,
  data jsonb not null,
  updated_at timestamptz default clock_timestamp() not null,
  constraint booking_drafts_pkey primary key (user_id),
  constraint booking_drafts_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint booking_drafts_data_check check (octet_length((data)::text) <= 16384)
);
alter table public.booking_drafts enable row level security, force row level security;
grant delete, insert, select, update on public.booking_drafts to authenticated;

-- The moves of each booking, numbered from 1.
create table private.booking_move (
  booking_id uuid not null,
  number integer not null,
  from_studio_id uuid not null,
  from_start_time timestamptz not null,
  from_end_time timestamptz not null,
  studio_id uuid not null,
  start_time timestamptz not null,
  end_time timestamptz not null,
  -- The price of the booking after the move.
  final_cost_cents integer not null,
  -- How much more the new hours cost, before staff waive anything. Negative if they cost less.
  difference_cents integer not null,
  refund_cents integer not null,
  -- The attempt number of the newest access code for the previous hours. 0 if there was none.
  last_code integer not null,
  actor uuid not null,
  created_at timestamptz not null,
  constraint booking_move_pkey primary key (booking_id, number),
  constraint booking_move_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint booking_move_from_studio_id_fkey foreign key (from_studio_id) references public.studios(id),
  constraint booking_move_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint booking_move_final_cost_cents_check check (final_cost_cents >= 0),
  constraint booking_move_last_code_check check (last_code >= 0),
  constraint booking_move_number_check check (number > 0),
  constraint booking_move_refund_cents_check check (refund_cents >= 0)
);
alter table private.booking_move enable row level security, force row level security;

-- Notes of staff about bookings. They are only added, never changed, so they are their own history. Customers cannot
-- read them.
create table private.booking_note (
  id uuid not null,
  booking_id uuid not null,
  note text not null,
  -- The nil UUID for the service key.
  made_by uuid not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint booking_note_pkey primary key (id),
  constraint booking_note_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint booking_note_note_check check (char_length(note) between 1 and 2000)
);
create index booking_note_by_booking on private.booking_note (booking_id, created_at);
alter table private.booking_note enable row level security, force row level security;

-- Cancellations and moves that staff can undo for a few seconds. Their jobs wait for as long.
create table private.undo (
  id uuid default gen_random_uuid() not null,
  booking_id uuid not null,
  kind text not null,
  -- The number of the move to undo.
  move_number integer,
  -- The booking before the action, in the form in which the server reads it.
  before jsonb not null,
  -- The jobs of the action. It can be undone as long as none of them has begun.
  jobs uuid[] not null,
  actor uuid not null,
  created_at timestamptz not null,
  until timestamptz not null,
  undone_at timestamptz,
  constraint undo_pkey primary key (id),
  constraint undo_booking_id_fkey foreign key (booking_id) references private.booking(id),
  constraint undo_kind_check check (kind = any (array['cancel', 'move'])),
  constraint undo_of_move check ((kind = 'move') = (move_number is not null))
);
create index undo_by_booking on private.undo (booking_id);
alter table private.undo enable row level security, force row level security;

-- Private addresses at which calendar programs read the bookings of a room. An address contains a secret token, of
-- which only the hash is stored.
create table private.calendar_feed (
  id uuid default gen_random_uuid() not null,
  studio_id uuid not null,
  token_hash text not null,
  created_by uuid not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint calendar_feed_pkey primary key (id),
  constraint calendar_feed_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint calendar_feed_token_hash_check check (token_hash ~ '^[0-9a-f]{64}$')
);
create unique index calendar_feed_one on private.calendar_feed (studio_id) where revoked_at is null;
create unique index calendar_feed_token on private.calendar_feed (token_hash);
alter table private.calendar_feed enable row level security, force row level security;

-- Customers' ratings of their sessions, one per booking. They are deleted with the account.
create table private.rating (
  booking_id uuid not null,
  user_id uuid not null,
  score smallint not null,
  words text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint rating_pkey primary key (booking_id),
  constraint rating_booking_id_fkey foreign key (booking_id) references private.booking(id) on delete cascade,
  constraint rating_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade,
  constraint rating_score_check check (score between 1 and 5),
  constraint rating_words_check check (char_length(words) between 1 and 500)
);
create index rating_newest on private.rating (changed_at desc);
create index rating_of_user on private.rating (user_id);
alter table private.rating enable row level security, force row level security;

-- Incidents in the rooms, and reports of customers during or after a session.
create table private.incident (
  id uuid default gen_random_uuid() not null,
  -- Null if the incident is not about a room.
  studio_id uuid,
  description text not null,
  state text default 'open' not null,
  -- The account that reported the incident. Null for the service key, for a call for help without an account, and for
  -- deleted accounts.
  reporter uuid,
  -- Distinguishes a repeated report from a second, similar one.
  request_id text,
  created_at timestamptz not null,
  -- Who last changed the state.
  changed_by uuid,
  changed_at timestamptz,
  -- room: reported by staff. door: a customer cannot open the door and asks for help, and staff are told at once.
  -- problem, lost: a customer reports a problem or lost property, and staff answer.
  kind text default 'room' not null,
  booking_id uuid,
  category text,
  -- Names of objects in the bucket `incidents`.
  photos text[] default '{}' not null,
  customer_id uuid,
  answer text,
  answered_by uuid,
  answered_at timestamptz,
  -- What became of lost property.
  outcome text,
  constraint incident_pkey primary key (id),
  constraint incident_once unique (reporter, request_id),
  constraint incident_booking_id_fkey foreign key (booking_id) references private.booking(id) on delete set null,
  constraint incident_customer_id_fkey foreign key (customer_id) references auth.users(id) on delete cascade,
  constraint incident_reporter_fkey foreign key (reporter) references auth.users(id) on delete set null,
  constraint incident_studio_id_fkey foreign key (studio_id) references public.studios(id),
  constraint incident_answer_check check (char_length(answer) between 1 and 2000),
  constraint incident_answered check (
    ((answer is null) = (answered_at is null)) and ((answer is null) = (answered_by is null))
  ),
  constraint incident_category check ((kind = 'problem') = (category is not null)),
  constraint incident_category_check check (
    category = any (array['equipment', 'sound', 'lights', 'cleanliness', 'access', 'other'])
  ),
  constraint incident_changed check ((changed_by is null) = (changed_at is null)),
  constraint incident_description_check check (char_length(description) between 1 and 2000),
  constraint incident_kind_check check (kind = any (array['room', 'door', 'problem', 'lost'])),
  constraint incident_of_customer check ((kind = any (array['problem', 'lost'])) = (customer_id is not null)),
  constraint incident_outcome check ((outcome is null) or (kind = 'lost')),
  constraint incident_outcome_check check (outcome = any (array['found', 'returned', 'not_found'])),
  constraint incident_photos_check check (
    (cardinality(photos) <= 3) and (array_position(photos, null::text) is null)
  ),
  constraint incident_request_id_check check (char_length(request_id) between 1 and 100),
  constraint incident_state_check check (state = any (array['open', 'in_progress', 'done']))
);
-- A booking has at most one open call for help.
create unique index incident_door_open on private.incident (booking_id)
  where ((kind = 'door') and (state <> 'done'));
-- Lists incidents with those that are not done first.
create index incident_listed on private.incident (((state = 'done')), created_at desc, id);
create index incident_of_booking on private.incident (booking_id, created_at);
create index incident_of_customer on private.incident (customer_id);
create index incident_photos on private.incident using gin (photos);
create index incident_report_open on private.incident (created_at)
  where ((kind = any (array['problem', 'lost'])) and (state = 'open'));
alter table private.incident enable row level security, force row level security;
