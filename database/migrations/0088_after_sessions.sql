-- What customers tell after a session, or during it: problems and lost property with photos, which staff answer, and how it was.

alter table private.incident
  drop constraint incident_kind_check,
  -- problem, lost: a customer reports what is wrong in the room, or what was left behind.
  add constraint incident_kind_check check (kind in ('room', 'door', 'problem', 'lost')),
  add column category text check (category in ('equipment', 'sound', 'lights', 'cleanliness', 'access', 'other')),
  -- Objects of the bucket incidents.
  add column photos text[] not null default '{}' check (cardinality(photos) <= 3 and array_position(photos, null) is null),
  -- The customer whose report it is. It ends with the account, and so do its photos.
  add column customer_id uuid references auth.users (id) on delete cascade,
  -- The last answer of staff, mailed to the customer.
  add column answer text check (char_length(answer) between 1 and 2000),
  add column answered_by uuid,
  add column answered_at timestamptz,
  -- What became of lost property.
  add column outcome text check (outcome in ('found', 'returned', 'not_found')),
  add constraint incident_of_customer check ((kind in ('problem', 'lost')) = (customer_id is not null)),
  add constraint incident_category check ((kind = 'problem') = (category is not null)),
  add constraint incident_outcome check (outcome is null or kind = 'lost'),
  add constraint incident_answered check ((answer is null) = (answered_at is null) and (answer is null) = (answered_by is null));
update private.incident set photos = array[photo] where photo is not null;
alter table private.incident drop column photo;
create index incident_of_booking on private.incident (booking_id, created_at);
create index incident_of_customer on private.incident (customer_id);
create index incident_report_open on private.incident (created_at) where kind in ('problem', 'lost') and state = 'open';
create index incident_photos on private.incident using gin (photos);

create or replace function private.publish_incident() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform realtime.send('{}', 'incidents', 'staff', true);
  perform private.publish_to_account(new.customer_id, 'incident', pg_catalog.jsonb_build_object('booking_id', new.booking_id));
  return null;
end
$$;

create or replace function private.delete_unused_photos(p_now timestamptz) returns integer language plpgsql volatile set search_path = '' as $$
declare
  deleted integer;
begin
  delete from storage.objects o
  where o.created_at < p_now - interval '1 day' and case o.bucket_id
    when 'rooms' then not exists (select from public.studios s where o.name = any (s.photos))
      and not exists (select from public.business_settings b where b.settings ->> 'directionsPhoto' = o.name)
    when 'incidents' then not exists (select from private.incident i where i.photos @> array[o.name])
    else false end;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- Whether the caller may add a photo of a report: with a session that is on, about to begin, or over for at most 30 days. At most 12 a day.
create function public.may_add_report_photo() returns boolean
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
begin
  return v_user is not null
    and exists (select from private.booking b where b.user_id = v_user and b.status = 'confirmed'
      and b.start_time <= pg_catalog.now() + interval '15 minutes' and b.end_time > pg_catalog.now() - interval '30 days')
    and (select count(*) < 12 from storage.objects o
      where o.bucket_id = 'incidents' and o.owner = v_user and o.created_at > pg_catalog.now() - interval '1 day');
end
$$;
revoke execute on function public.may_add_report_photo() from public, anon;
grant execute on function public.may_add_report_photo() to authenticated;
create policy "customers add photos of their reports" on storage.objects for insert to authenticated
  with check (bucket_id = 'incidents' and (storage.foldername(name))[1] = (select auth.uid())::text and owner = (select auth.uid())
    and (select public.may_add_report_photo()));

-- How a session was, once for each booking. It ends with the account.
create table private.rating (
  booking_id uuid primary key references private.booking (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  score smallint not null check (score between 1 and 5),
  words text check (char_length(words) between 1 and 500),
  created_at timestamptz not null,
  changed_at timestamptz not null
);
create index rating_newest on private.rating (changed_at desc);
create index rating_of_user on private.rating (user_id);
alter table private.rating enable row level security, force row level security;

-- What the caller has told about an own booking: {reports, rating}; null for another booking.
create function public.own_feedback(booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_user constant uuid := auth.uid();
begin
  if v_user is null or not exists (select from private.booking b where b.id = own_feedback.booking and b.user_id = v_user) then return null; end if;
  return pg_catalog.jsonb_build_object(
    'reports', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', i.id, 'kind', i.kind, 'category', i.category, 'description', i.description,
        'photos', cardinality(i.photos), 'state', i.state, 'answer', i.answer, 'answeredAt', i.answered_at, 'outcome', i.outcome,
        'createdAt', i.created_at) order by i.created_at desc, i.id), '[]')
      from private.incident i where i.booking_id = own_feedback.booking and i.customer_id = v_user),
    'rating', (
      select pg_catalog.jsonb_build_object('score', r.score, 'words', r.words, 'createdAt', r.created_at)
      from private.rating r where r.booking_id = own_feedback.booking));
end
$$;
revoke execute on function public.own_feedback(uuid) from public, anon;
grant execute on function public.own_feedback(uuid) to authenticated;

-- How the sessions were, for staff: {rooms: [{studioId, studioName, count, average}] of 90 days, ratings: the newest ones}.
create function public.staff_ratings(at timestamptz default now(), most integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  if not (coalesce(auth.role() = 'service_role', false) or public.has_permission('bookings')) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return pg_catalog.jsonb_build_object(
    'rooms', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('studioId', a.id, 'studioName', a.name, 'count', a.ratings, 'average', a.average)
        order by a.sort_order, a.name), '[]')
      from (
        select s.id, s.name, s.sort_order, count(*) as ratings, pg_catalog.round(pg_catalog.avg(r.score), 1) as average
        from private.rating r join private.booking b on b.id = r.booking_id join public.studios s on s.id = b.studio_id
        where r.changed_at > staff_ratings.at - interval '90 days'
        group by s.id) a),
    'ratings', (
      select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('reference', n.reference, 'studioName', n.studio_name, 'startTime', n.start_time,
        'score', n.score, 'words', n.words, 'at', n.changed_at) order by n.changed_at desc, n.reference), '[]')
      from (
        select b.reference, b.studio_name, b.start_time, r.score, r.words, r.changed_at
        from private.rating r join private.booking b on b.id = r.booking_id
        order by r.changed_at desc limit least(greatest(most, 0), 200)) n));
end
$$;
revoke execute on function public.staff_ratings(timestamptz, integer) from public, anon;
grant execute on function public.staff_ratings(timestamptz, integer) to authenticated, service_role;

-- What a person has told about sessions, for the download of an account.
create function private.export_feedback(p_user uuid) returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'reports', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('at', i.created_at, 'kind', i.kind, 'category', i.category,
      'description', i.description, 'state', i.state, 'answer', i.answer, 'outcome', i.outcome) order by i.created_at), '[]')
      from private.incident i where i.customer_id = p_user),
    'ratings', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('booking', b.reference, 'score', r.score, 'words', r.words,
      'at', r.created_at, 'changedAt', r.changed_at) order by r.created_at), '[]')
      from private.rating r join private.booking b on b.id = r.booking_id where r.user_id = p_user))
$$;

-- One mail after a session, which everybody switches on or off beside the reminders.
alter table public.profiles add column thank_by_email boolean not null default true;
grant update (thank_by_email) on public.profiles to authenticated;

-- Queues the mails after sessions that ended at least half an hour ago, one for each booking whatever moves it has, and returns their number. After
-- twelve hours without a server it is too late for one.
create function private.queue_thanks(p_now timestamptz) returns integer language sql volatile set search_path = '' as $$
  with queued as (
    insert into private.outbox (kind, subject_id, dedupe, due_at, deadline_at)
    select 'mail.thanks', b.id, '', p_now, b.end_time + interval '24 hours'
    from private.booking b join public.profiles p on p.user_id = b.user_id
    where b.start_time > p_now - interval '38 hours' and b.start_time < p_now
      and b.end_time <= p_now - interval '30 minutes' and b.end_time > p_now - interval '12 hours'
      and b.status = 'confirmed' and b.notes is distinct from 'test' and b.no_show_at is null and p.thank_by_email
    on conflict do nothing returning 1
  )
  select count(*)::integer from queued
$$;

-- As before, with reports of customers that nobody has read.
create or replace function public.staff_alerts(at timestamptz default now(), most integer default 100) returns table (
  kind text, since timestamptz, due timestamptz, job_id uuid, job_kind text, tries integer, problem text, booking_id uuid, reference text,
  studio_name text, start_time timestamptz, customer_name text
)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  v_service constant boolean := coalesce(auth.role() = 'service_role', false);
  v_bookings constant boolean := v_service or public.has_permission('bookings');
  v_identity constant boolean := v_service or public.has_permission('identity');
  v_money constant boolean := v_service or public.has_permission('money');
begin
  if not (v_service or public.is_staff()) then
    raise exception 'only staff can do this' using errcode = '42501';
  end if;
  return query
    with waiting as (
      select v.created_at as since, p.full_name from public.id_verifications v join public.profiles p on p.user_id = v.user_id
      where v_identity and v.verification_status = 'review' order by v.created_at limit least(most, 1000)
    ), missing as (
      select m.raised_at as since, m.booking_id from private.missing_id m
      join private.booking b on b.id = m.booking_id and b.status = 'confirmed' and b.end_time > at
      join private.lost_verification l on l.user_id = b.user_id
      where (v_identity or v_bookings) and m.kept_at is null order by m.raised_at limit least(most, 1000)
    ), refunds as (
      select x.updated_at as since, x.id, x.booking_id
      from private.payment x where v_money and x.state = 'refund_failed' order by x.updated_at limit least(most, 1000)
    ), disputes as (
      select coalesce(d.opened_at, x.updated_at) as since, d.due_at, d.reason, x.booking_id
      from private.payment x left join private.dispute d on d.id = x.dispute_id
      where v_money and x.state = 'disputed' and coalesce(d.needs_response, true) order by 1 limit least(most, 1000)
    ), jobs as (
      select case when o.closed_at is null then 'job_failing' else 'job_late' end as kind, coalesce(o.closed_at, o.alerted_at) as since,
        o.id, o.kind as job_kind, o.subject_id, o.tries, coalesce(o.close_reason, o.last_error) as problem
      from private.outbox o
      where (o.alerted_at is not null or o.closed_at is not null) and o.done_at is null and o.closed_by is null
        and (o.closed_at is null or o.closed_at > at - interval '1 day')
        and (o.closed_at is not null or o.kind not like 'mail.%' or coalesce(o.last_error, '') !~ '^mail: smtp_5[15]')
        and case when o.kind like 'payment.%' then v_money else v_bookings end
      order by coalesce(o.closed_at, o.alerted_at) limit least(most, 1000)
    ), refused as (
      select o.created_at as since, o.id, o.kind as job_kind, o.subject_id, o.tries, o.last_error from private.outbox o
      where v_bookings and o.done_at is null and o.closed_at is null and o.kind like 'mail.%' and o.last_error ~ '^mail: smtp_5[15]'
        and o.kind not in ('mail.job-alert', 'mail.review-waiting')
      order by o.created_at limit least(most, 1000)
    ), starting as (
      select b.id, greatest(b.start_time - interval '30 minutes', b.confirmed_at) as since from private.booking b
      where v_bookings and b.status = 'confirmed' and b.notes is distinct from 'test'
        and b.start_time > at - interval '25 hours' and b.start_time <= at + interval '30 minutes' and b.end_time > at
        and b.confirmed_at <= at - interval '5 minutes'
        and (select c.accepted from private.code_times(b.id) c) is null
      order by b.start_time limit least(most, 1000)
    ), locks as (
      select s.name, l.* from private.lock_state l join public.studios s on s.id = l.studio_id where v_bookings and s.active
    ), ledger as (
      select min(d.found_at) as since, count(*) || ' in ' || pg_catalog.to_char(c.month, 'FMMonth YYYY') as problem
      from private.ledger_check c join private.ledger_difference d on d.check_id = c.id
      where v_money and d.found_at <= staff_alerts.at - interval '1 day' group by c.month order by 1 limit least(most, 1000)
    ), waiting_at_doors as (
      select i.created_at as since, i.booking_id from private.incident i
      where v_bookings and i.kind = 'door' and i.state = 'open' order by i.created_at limit least(most, 1000)
    ), reports as (
      select i.created_at as since, i.booking_id, i.kind, coalesce(i.category, 'lost') as what from private.incident i
      where v_bookings and i.kind in ('problem', 'lost') and i.state = 'open' order by i.created_at limit least(most, 1000)
    ), alerts as (
      select 'id_waiting' as kind, w.since, null::timestamptz as due, null::uuid as job_id, null as job_kind, null::integer as tries, null as problem,
        null::uuid as booking_id, w.full_name, null as studio
      from waiting w
      union all
      select 'id_missing', m.since, null, null, null, null, null, m.booking_id, null, null from missing m
      union all
      select 'refund_failed', m.since, null, j.id, j.kind, j.tries, j.last_error, m.booking_id, null, null
      from refunds m left join lateral (
        select o.id, o.kind, o.tries, o.last_error from private.outbox o
        where o.kind = 'payment.refund' and o.subject_id = m.id and o.done_at is null and o.closed_at is null
        limit 1) j on true
      union all
      select 'dispute', d.since, d.due_at, null, null, null, d.reason, d.booking_id, null, null from disputes d
      union all
      select j.kind, j.since, null, j.id, j.job_kind, j.tries, j.problem, coalesce(x.booking_id, j.subject_id), null, null
      from jobs j
      left join private.partial_refund r on j.job_kind = 'payment.partial-refund' and r.id = j.subject_id
      left join private.payment x on x.id = case j.job_kind when 'payment.refund' then j.subject_id else r.payment_id end
      where x.state is distinct from 'refund_failed' or j.job_kind <> 'payment.refund'
      union all
      select 'mail_bounced', f.since, null, f.id, f.job_kind, f.tries, f.last_error, f.subject_id, null, null from refused f
      union all
      select 'code_missing', s.since, null, null, null, null, null, s.id, null, null from starting s
      union all
      select 'lock_offline', l.offline_since, null, null, null, null, null, null, null, l.name from locks l
      where l.offline_since is not null and l.checked_at > l.offline_since
      union all
      select 'battery_low', l.low_since, null, null, null, null, l.battery_percent || ' %', null, null, l.name from locks l
      where l.low_since is not null
      union all
      select 'door_closed', w.since, null, null, null, null, null, w.booking_id, null, null from waiting_at_doors w
      union all
      select 'reported', x.since, null, null, null, null, x.what, x.booking_id, null, null from reports x
      union all
      select 'ledger_difference', g.since, null, null, null, null, g.problem, null, null, null from ledger g
    )
    select a.kind, a.since, a.due, a.job_id, a.job_kind, a.tries, a.problem, b.id, b.reference, coalesce(b.studio_name, a.studio), b.start_time,
      coalesce(a.full_name, p.full_name, b.guest_name)
    from alerts a
    left join private.booking b on b.id = a.booking_id
    left join public.profiles p on p.user_id = b.user_id
    order by a.since, a.kind, a.job_id, b.id, a.studio limit least(most, 1000);
end
$$;
