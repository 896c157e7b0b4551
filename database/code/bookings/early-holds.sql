-- Holds hours for ten minutes while a customer verifies the ID for the first time. Returns one of:
--   {outcome: 'held', until}   The hours are held. A repeated call returns the same time.
--   {outcome: 'verified'}      The customer has a verified ID and can pay at once.
--   {outcome: 'taken'}         Some of the hours are not free, or the customer already has them.
--   {outcome: 'limit'}         One of the limits below is reached.
-- An account has one early hold at a time: a call for other hours replaces it. If the new hours cannot be held, the
-- previous hold stays. If the new hours overlap the previous ones, the new hold ends when the previous one would have
-- ended. So no customer holds the same hours for more than ten minutes in an hour. `p_hours` is the number of hours to
-- pay for. `p_address` is the network address of the caller, or '' if it is unknown.
create or replace function private.hold_early(
  p_user uuid, p_studio uuid, p_start timestamptz, p_end timestamptz, p_hours integer, p_address text, p_now timestamptz
)
returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_span constant tstzrange := pg_catalog.tstzrange(p_start, p_end, '[)');
  v_factor constant numeric := coalesce(
    (select (x.value #>> '{}')::numeric from private.settings x where x.name = 'limit_factor'), 1);
  v_held private.booking;
  v_previous private.booking;
  v_replaced uuid;
begin
  -- hold_booking() takes the same lock, so that two requests of one person count each other's hold.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('hold:' || p_user::text, 0));
  select * into v_previous from private.booking b
  where b.user_id = p_user and b.early and b.status = 'pending' and b.hold_expires_at > p_now;
  if v_previous.studio_id = p_studio and v_previous.during @> v_span then
    return pg_catalog.jsonb_build_object('outcome', 'held', 'until', v_previous.hold_expires_at);
  end if;
  if exists (
    select from public.id_verifications v
    where v.user_id = p_user and v.verification_status = 'verified' and v.expires_at > p_now
  ) then return '{"outcome": "verified"}'; end if;
  -- The limits: four hours, three early holds a day for each account, one early hold an hour for the same hours of a
  -- room, and the unpaid hours of the account.
  if p_hours > 4
    or (
      select count(*) from private.booking b
      where b.user_id = p_user and b.early and b.created_at > p_now - interval '1 day') >= 3 * v_factor
    or exists (
      select from private.booking b
      where b.studio_id = p_studio and b.early and b.created_at > p_now - interval '1 hour' and b.during && v_span
        and b.id is distinct from v_previous.id)
    or (select p_hours > a.fit from private.unpaid_allowance(p_user, p_now, '{}') a)
  then return '{"outcome": "limit"}'; end if;
  -- Some of these hours may be held by the previous hold: then only the insert below finds out whether they are free.
  if v_previous.id is null and not private.is_free(p_studio, v_span) then return '{"outcome": "taken"}'; end if;
  -- Three early holds an hour for each network address.
  if p_address <> '' and private.take_limit('early-hold', p_address, 3 * v_factor, 3600, p_now) is not null then
    return '{"outcome": "limit"}';
  end if;
  begin
    for v_replaced in
      update private.booking b set status = 'cancelled', cancel_reason = 'replaced'
      where b.user_id = p_user and b.early and b.status = 'pending'
      returning b.id
    loop
      perform private.audit(
        null, 'update', 'booking', v_replaced::text, '{"status": "cancelled", "reason": "replaced"}');
    end loop;
    insert into private.booking (reference, user_id, early, studio_id, studio_name, start_time, end_time, status,
      hold_expires_at, total_hours, base_cost_cents, final_cost_cents, created_at)
    select private.new_reference(), p_user, true, s.id, s.name, p_start, p_end, 'pending',
      case when v_previous.studio_id = p_studio and v_previous.during && v_span
        then v_previous.hold_expires_at else p_now + interval '10 minutes' end,
      p_hours, 0, 0, p_now
    from public.studios s where s.id = p_studio and s.active
    returning * into strict v_held;
  exception when exclusion_violation or unique_violation or no_data_found then
    -- The previous hold stays: this block is undone.
    return '{"outcome": "taken"}';
  end;
  perform private.audit(null, 'create', 'booking', v_held.id::text, '{"status": "pending", "reason": "id_check"}');
  return pg_catalog.jsonb_build_object('outcome', 'held', 'until', v_held.hold_expires_at);
end
$$;
