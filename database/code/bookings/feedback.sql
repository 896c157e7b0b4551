-- Reports and ratings by customers after a session.

-- Returns what the caller has reported about one of the caller's bookings and how the caller rated it, as {reports,
-- rating}, the newest report first. `photos` is the number of photos. Null for a booking of another account.
create or replace function public.own_feedback(booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
begin
  if v_user is null
    or not exists (select from private.booking b where b.id = own_feedback.booking and b.user_id = v_user)
  then return null; end if;
  return pg_catalog.jsonb_build_object(
    'reports', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', i.id, 'kind', i.kind, 'category', i.category, 'description', i.description,
        'photos', cardinality(i.photos), 'state', i.state, 'answer', i.answer, 'answeredAt', i.answered_at,
        'outcome', i.outcome, 'createdAt', i.created_at) order by i.created_at desc, i.id), '[]')
      from private.incident i where i.booking_id = own_feedback.booking and i.customer_id = v_user),
    'rating', (
      select pg_catalog.jsonb_build_object('score', r.score, 'words', r.words, 'createdAt', r.created_at)
      from private.rating r where r.booking_id = own_feedback.booking));
end
$$;
grant execute on function public.own_feedback(uuid) to authenticated;

-- Returns whether the caller may add a photo to a report. The caller needs a session that is running, starts within
-- 15 minutes or ended at most 30 days ago, and may add at most 12 photos in 24 hours.
create or replace function public.may_add_report_photo() returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
begin
  return v_user is not null
    and exists (
      select from private.booking b
      where b.user_id = v_user and b.status = 'confirmed'
        and b.start_time <= pg_catalog.now() + interval '15 minutes'
        and b.end_time > pg_catalog.now() - interval '30 days')
    and (
      select count(*) < 12 from storage.objects o
      where o.bucket_id = 'incidents' and o.owner = v_user and o.created_at > pg_catalog.now() - interval '1 day');
end
$$;
grant execute on function public.may_add_report_photo() to authenticated;

create policy "customers add photos of their reports" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'incidents' and (storage.foldername(name))[1] = (select auth.uid())::text
    and owner = (select auth.uid()) and (select public.may_add_report_photo()));

-- Returns the ratings for staff: {rooms: [{studioId, studioName, count, average}], ratings: [{reference, studioName,
-- startTime, score, words, at}]}. `rooms` covers the 90 days before `at`; `ratings` has the newest ones, at most 200.
-- Raises 42501 without the permission for bookings.
create or replace function public.staff_ratings(at timestamptz default now(), most integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('bookings')) then
    raise exception 'Only staff can do this.' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'rooms', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'studioId', a.id, 'studioName', a.name, 'count', a.ratings, 'average', a.average)
        order by a.sort_order, a.name), '[]')
      from (
        select s.id, s.name, s.sort_order, count(*) as ratings, pg_catalog.round(pg_catalog.avg(r.score), 1) as average
        from private.rating r
        join private.booking b on b.id = r.booking_id
        join public.studios s on s.id = b.studio_id
        where r.changed_at > staff_ratings.at - interval '90 days'
        group by s.id) a),
    'ratings', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'reference', n.reference, 'studioName', n.studio_name, 'startTime', n.start_time, 'score', n.score,
        'words', n.words, 'at', n.changed_at) order by n.changed_at desc, n.reference), '[]')
      from (
        select b.reference, b.studio_name, b.start_time, r.score, r.words, r.changed_at
        from private.rating r join private.booking b on b.id = r.booking_id
        order by r.changed_at desc limit least(greatest(most, 0), 200)) n));
end
$$;
grant execute on function public.staff_ratings(timestamp with time zone, integer) to authenticated;

-- Returns a person's reports and ratings, as {reports, ratings}, for the download of an account.
create or replace function private.export_feedback(p_user uuid) returns jsonb
language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'reports', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'at', i.created_at, 'kind', i.kind, 'category', i.category, 'description', i.description, 'state', i.state,
        'answer', i.answer, 'outcome', i.outcome) order by i.created_at), '[]')
      from private.incident i where i.customer_id = p_user),
    'ratings', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'booking', b.reference, 'score', r.score, 'words', r.words, 'at', r.created_at, 'changedAt', r.changed_at)
        order by r.created_at), '[]')
      from private.rating r join private.booking b on b.id = r.booking_id where r.user_id = p_user))
$$;
