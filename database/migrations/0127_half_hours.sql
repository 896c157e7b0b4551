-- The minimum hours of a code are whole or half hours. Codes that were made before may have others.
alter table public.discount_codes
  add constraint discount_codes_half_hours check (min_hours * 2 = pg_catalog.trunc(min_hours * 2)) not valid;
