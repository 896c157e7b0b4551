-- A code works until the lock has accepted the one that replaces it, so a booking may have one code that works and one that is requested.
drop index public.access_code_one_live;
create unique index access_code_one_requested on public.booking_access_codes (booking_id) where status = 'requested' and mode = 'bridge';
create unique index access_code_one_issued on public.booking_access_codes (booking_id) where status = 'issued' and mode = 'bridge';
