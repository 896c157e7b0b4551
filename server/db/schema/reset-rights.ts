/** Quotes a text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Returns a statement that gives an existing function or view the privileges of a new one: `create or replace` keeps those that an earlier
 * version granted. The `name` of a function includes the types of its arguments. The statement does nothing if the object does not exist.
 */
export function resetRights(kind: 'function' | 'view', name: string): string {
  const [type, catalogue, acl, owner, space, letter, target] =
    kind === 'function'
      ? ['regprocedure', 'pg_proc', 'proacl', 'proowner', 'pronamespace', 'f', 'function']
      : ['regclass', 'pg_class', 'relacl', 'relowner', 'relnamespace', 'r', 'table'];
  return `do $reset$
    declare
      v_object constant oid := pg_catalog.to_${type}(${literal(name)});
      v_change text;
    begin
      for v_change in
        select pg_catalog.format('revoke all on ${target} %s from %s',
          v_object::pg_catalog.${type}, a.grantee::pg_catalog.regrole)
        from pg_catalog.${catalogue} o, pg_catalog.aclexplode(o.${acl}) a
        where o.oid = v_object and a.grantee not in (0, o.${owner})
        union
        select pg_catalog.format('revoke all on ${target} %s from public', v_object::pg_catalog.${type})
        where v_object is not null
        union all
        select pg_catalog.format('grant %s on ${target} %s to %s',
          a.privilege_type, v_object::pg_catalog.${type}, a.grantee::pg_catalog.regrole)
        from pg_catalog.${catalogue} o
        join pg_catalog.pg_default_acl d on d.defaclobjtype = '${letter}' and d.defaclnamespace = o.${space}
          and d.defaclrole::pg_catalog.regrole::text = current_user,
          pg_catalog.aclexplode(d.defaclacl) a
        where o.oid = v_object and a.grantee not in (0, o.${owner})
      loop execute v_change; end loop;
    end $reset$`;
}
