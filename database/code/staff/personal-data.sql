-- The contact details of customers. Empty unless the caller has the permission for bookings or is the service key.
create or replace view public.customer_contacts with (security_barrier = true) as
  select p.user_id, p.full_name, p.dj_name, p.email, p.phone, p.created_at
  from public.profiles p
  where (select public.has_permission('bookings')) or (select auth.role()) = 'service_role';
alter view public.customer_contacts owner to booking_reader;
revoke all on public.customer_contacts from service_role;
grant select on public.customer_contacts to service_role;
grant select on public.customer_contacts to authenticated;

-- Names, dates of birth and addresses of customers. Empty unless the caller has the permission for IDs or is the
-- service key. The results of ID checks are in id_verifications, which needs the same permission.
create or replace view public.customer_identities with (security_barrier = true) as
  select p.user_id, p.full_name, p.date_of_birth, p.address
  from public.profiles p
  where (select public.has_permission('identity')) or (select auth.role()) = 'service_role';
alter view public.customer_identities owner to booking_reader;
revoke all on public.customer_identities from service_role;
grant select on public.customer_identities to service_role;
grant select on public.customer_identities to authenticated;

-- The names of all staff. Empty unless the caller is staff or the service key.
create or replace view public.staff_names with (security_barrier = true) as
  select p.user_id, p.full_name
  from public.profiles p
  where exists (select from public.user_roles r where r.user_id = p.user_id and r.role = 'admin')
    and ((select public.is_staff()) or (select auth.role()) = 'service_role');
alter view public.staff_names owner to booking_reader;
revoke all on public.staff_names from service_role;
grant select on public.staff_names to service_role;
grant select on public.staff_names to authenticated;
