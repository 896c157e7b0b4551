-- Returns the channel that a policy of realtime.messages is deciding about; null outside such a decision.
create or replace function realtime.topic()
returns text language sql stable set search_path = '' as $$
  select nullif(current_setting('realtime.topic', true), '')
$$;
grant execute on function realtime.topic() to public;

-- Returns the row policies of a table for a role and a command ('r' for select, 'a' for insert) as one SQL condition on
-- a row of the table, whose alias is the table's name. Returns 'true' if policies do not apply to the role. Every name
-- in the condition is qualified, because the search_path is empty.
create or replace function realtime.policy_condition(p_table regclass, p_role name, p_command "char")
returns text language sql stable security definer set search_path = '' as $$
  with policy as (
    select p.polpermissive,
      '(' || coalesce(
        case when p_command = 'a' then pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) end,
        case
          when p_command <> 'a' or p.polwithcheck is null then pg_catalog.pg_get_expr(p.polqual, p.polrelid) end,
        'true') || ')' as condition
    from pg_catalog.pg_policy p
    where p.polrelid = p_table and p.polcmd in (p_command, '*')
      and exists (
        select from unnest(p.polroles) as granted (role)
        where granted.role = 0 or pg_catalog.pg_has_role(p_role, granted.role, 'usage')
      )
  )
  select case
    when not c.relrowsecurity or r.rolbypassrls or r.rolsuper
      or (not c.relforcerowsecurity and pg_catalog.pg_has_role(p_role, c.relowner, 'usage')) then 'true'
    else
      coalesce(
        (select '(' || string_agg(condition, ' or ' order by condition) || ')' from policy where polpermissive),
        'false')
      || coalesce(
        (select ' and ' || string_agg(condition, ' and ' order by condition) from policy where not polpermissive), '')
  end
  from pg_catalog.pg_class c, pg_catalog.pg_roles r
  where c.oid = p_table and r.rolname = p_role
$$;

-- Returns which rows each principal can see: for every principal a string with a 1 or 0 for each row, or '!' and the
-- error that its policies raise. All principals have `p_role`; `p_claims` and `p_subjects` have one element for each.
-- `p_statement` selects the string for the rows in the setting realtime.rows, which is the JSON array `p_rows`; it is
-- prepared once per connection under the name `p_name`.
--
-- Runs with the rights of the login that can become any caller, so callers have no right to execute it.
create or replace function realtime.visible_rows(
  p_name text, p_statement text, p_role text, p_claims text[], p_subjects text[], p_rows text
)
returns text[] language plpgsql as $$
declare
  v_execute text := format('execute %I', p_name);
  v_visible text;
  v_result text[] := '{}';
begin
  perform set_config('role', p_role, true), set_config('realtime.rows', p_rows, true);
  for v_at in 1 .. cardinality(p_claims) loop
    perform set_config('request.jwt.claims', p_claims[v_at], true),
      set_config('request.jwt.claim.sub', p_subjects[v_at], true);
    begin
      execute v_execute into v_visible;
    exception
      when invalid_sql_statement_name then
        execute format('prepare %I as %s', p_name, p_statement);
        execute v_execute into v_visible;
      when others then
        v_visible := '!' || sqlstate || ' ' || sqlerrm;
    end;
    v_result := v_result || v_visible;
  end loop;
  perform set_config('role', 'none', true);
  return v_result;
end
$$;
grant execute on function realtime.visible_rows(text, text, text, text[], text[], text) to authenticator;

-- Returns whether the read policies of a table for a role read the table itself through functions, views or policies of
-- other tables. Such a policy sees the table as it is at that moment, without a row that was deleted. Functions are
-- searched for names, so the result may be true when it should be false, but not the other way round.
create or replace function realtime.policies_read_own_table(p_table regclass, p_role name)
returns boolean language sql stable security definer set search_path = '' as $$
  with recursive used (class, object) as (
    select d.refclassid, d.refobjid
    from pg_catalog.pg_policy p
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
    where p.polrelid = p_table and p.polcmd in ('r', '*') and d.refobjid <> p_table
      and exists (
        select from unnest(p.polroles) as granted (role)
        where granted.role = 0 or pg_catalog.pg_has_role(p_role, granted.role, 'usage')
      )
    union
    select found.class, found.object
    from used u, lateral (
      select d.refclassid, d.refobjid
      from pg_catalog.pg_rewrite w
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
      where u.class = 'pg_catalog.pg_class'::regclass and w.ev_class = u.object
      union all
      select d.refclassid, d.refobjid
      from pg_catalog.pg_policy w
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = w.oid
      where u.class = 'pg_catalog.pg_class'::regclass and w.polrelid = u.object
      union all
      select d.refclassid, d.refobjid
      from pg_catalog.pg_depend d
      where u.class = 'pg_catalog.pg_proc'::regclass and d.classid = u.class and d.objid = u.object
      union all
      select 'pg_catalog.pg_class'::regclass, c.oid
      from pg_catalog.pg_proc f, pg_catalog.pg_class c
      where u.class = 'pg_catalog.pg_proc'::regclass and f.oid = u.object and c.relkind in ('r', 'p', 'v', 'm')
        and c.relnamespace <> 'pg_catalog'::regnamespace and realtime.names(f.prosrc, c.relname)
      union all
      select 'pg_catalog.pg_proc'::regclass, g.oid
      from pg_catalog.pg_proc f, pg_catalog.pg_proc g
      where u.class = 'pg_catalog.pg_proc'::regclass and f.oid = u.object and g.oid <> f.oid
        and g.pronamespace <> 'pg_catalog'::regnamespace and realtime.names(f.prosrc, g.proname)
    ) as found (class, object)
  )
  select exists (select from used where class = 'pg_catalog.pg_class'::regclass and object = p_table)
$$;

-- Returns whether a text contains a name as a whole word.
create or replace function realtime.names(p_text text, p_name text)
returns boolean language sql immutable set search_path = '' as $$
  select strpos(p_text, p_name) > 0
    and p_text ~ (
      '(^|[^a-zA-Z0-9_$])' || regexp_replace(p_name, '([^a-zA-Z0-9_])', '\\\1', 'g') || '($|[^a-zA-Z0-9_$])')
$$;
