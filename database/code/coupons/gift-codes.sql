-- Creates a batch of `amount` gift codes that begin with `prefix` and can each be used once. `terms` has columns of
-- discount_codes as JSON. Idempotent for each id of a batch. Returns the number of codes in the batch. Requires the
-- permission `settings`.
create or replace function public.make_gift_codes(batch uuid, amount integer, prefix text, terms jsonb)
returns integer language plpgsql volatile security definer set search_path = '' as $$
declare
  v_prefix constant text := pg_catalog.upper(pg_catalog.btrim(coalesce(prefix, '')));
  v_terms public.discount_codes;
  v_made integer := 0;
begin
  perform private.require_permission('settings');
  insert into private.gift_batch (id, prefix, size, made_by)
  values (batch, v_prefix, amount, coalesce(auth.uid(), '00000000-0000-0000-0000-000000000000'))
  on conflict (id) do nothing;
  if not found then
    return (select count(*) from public.discount_codes d where d.gift_batch_id = batch);
  end if;
  v_terms := pg_catalog.jsonb_populate_record(null::public.discount_codes, terms);
  while v_made < amount loop
    -- Random codes that exist already are skipped; the next round replaces them.
    insert into public.discount_codes (
      code, discount_type, discount_value, description, min_hours, max_uses,
      valid_from, expires_at, weekdays, from_hour, until_hour, gift_batch_id)
    select v_prefix || '-' || private.new_reference(), v_terms.discount_type, v_terms.discount_value,
      v_terms.description, v_terms.min_hours, 1,
      v_terms.valid_from, v_terms.expires_at, v_terms.weekdays, v_terms.from_hour, v_terms.until_hour, batch
    from pg_catalog.generate_series(1, amount - v_made)
    on conflict do nothing;
    select count(*) into v_made from public.discount_codes d where d.gift_batch_id = batch;
  end loop;
  perform private.audit(auth.uid(), 'create', 'gift_codes', batch::text,
    pg_catalog.jsonb_build_object(
      'prefix', v_prefix, 'amount', amount, 'terms', pg_catalog.jsonb_strip_nulls(terms)));
  return v_made;
end
$$;
grant execute on function public.make_gift_codes(uuid, integer, text, jsonb) to authenticated;

-- Returns the batches of gift codes, newest first, at most 200: the terms of their codes, how many codes they have,
-- how many were used, how many can still be used (`active`), and what they brought (`sold`) and cost (`discount`) in
-- dollars. Requires the permission `settings`.
create or replace function public.gift_batches(most integer default 100)
returns table (
  id uuid, prefix text, created_at timestamptz, discount_type text, discount_value numeric, description text,
  valid_from timestamptz, expires_at timestamptz, works_when text, codes integer, used integer, active integer,
  sold numeric, discount numeric
)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_permission('settings');
  return query
    with newest as (
      select g.* from private.gift_batch g order by g.created_at desc, g.id limit least(most, 200)
    )
    select g.id, g.prefix, g.created_at, one.discount_type, one.discount_value, one.description,
      one.valid_from, one.expires_at, one.works_when, n.codes, n.used, n.active, n.sold, n.discount
    from newest g
    cross join lateral (
      select d.* from public.discount_codes d where d.gift_batch_id = g.id order by d.id limit 1
    ) one
    cross join lateral (
      select count(*)::integer as codes,
        count(*) filter (where d.current_uses > 0)::integer as used,
        count(*) filter (where d.active and d.current_uses = 0)::integer as active,
        (coalesce(pg_catalog.sum(b.sold), 0) / 100.0)::numeric(12, 2) as sold,
        (coalesce(pg_catalog.sum(b.discount), 0) / 100.0)::numeric(12, 2) as discount
      from public.discount_codes d
      left join lateral (
        select pg_catalog.sum(x.final_cost_cents) as sold, pg_catalog.sum(x.coupon_discount_cents) as discount
        from private.booking x
        where x.coupon_id = d.id and x.status = 'confirmed'
      ) b on d.current_uses > 0
      where d.gift_batch_id = g.id
    ) n
    order by g.created_at desc, g.id;
end
$$;
grant execute on function public.gift_batches(integer) to authenticated;

-- Turns the codes of a batch on or off. Returns how many codes changed. Idempotent. Requires the permission
-- `settings`.
create or replace function public.set_gift_batch_active(batch uuid, active boolean)
returns integer language plpgsql volatile security definer set search_path = '' as $$
declare
  v_changed integer;
begin
  perform private.require_permission('settings');
  update public.discount_codes d set active = set_gift_batch_active.active
  where d.gift_batch_id = batch and d.active <> set_gift_batch_active.active;
  get diagnostics v_changed = row_count;
  return v_changed;
end
$$;
grant execute on function public.set_gift_batch_active(uuid, boolean) to authenticated;
