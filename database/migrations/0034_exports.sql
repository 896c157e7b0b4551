-- Exports read a range of time page by page, in the order of these indexes.
create index payment_paid on private.payment (paid_at, id) where paid_at is not null;
create index refund_created on private.refund (created_at, id);
create index profiles_created on public.profiles (created_at, user_id);
