-- Values that the server stores for itself and for functions of the database, such as the addresses of the first
-- admins. The server writes them when it starts. No API exposes them.
create table private.settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey primary key (name)
);
alter table private.settings enable row level security, force row level security;

-- Reads for which one plan is good whatever the values are. When a read of `relation` filters by all of `columns`, the
-- data API lets its connection keep the plan. Planning such a read of public.bookings took longer than running it.
-- PostgreSQL would plan it anew each time, because without the values it assumes that a range of times contains half a
-- percent of all rows.
create table rest.kept_plan (
  relation regclass not null,
  columns text[] not null,
  constraint kept_plan_pkey primary key (relation, columns),
  constraint kept_plan_columns_check check (cardinality(columns) > 0)
);
alter table rest.kept_plan enable row level security, force row level security;
grant select on rest.kept_plan to backend;

-- Relations that return the same rows to every guest, whatever the headers and address of the request are. The data API
-- runs equal reads of guests that are waiting at the same moment only once: after a change, every open page reads the
-- same hours again.
create table rest.shared_read (
  relation regclass not null,
  constraint shared_read_pkey primary key (relation)
);
alter table rest.shared_read enable row level security, force row level security;
grant select on rest.shared_read to backend;
