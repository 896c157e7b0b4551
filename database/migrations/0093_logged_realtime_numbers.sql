-- The numbers of changes and long messages come from sequences that are logged, although their tables are not. The sequence of an identity
-- column takes after its table, and PostgreSQL 15 leaves an unlogged sequence unreadable on a standby that becomes the primary ("bad magic
-- number in sequence"): every broadcast and every change of a table was lost after a failover. They may be unreadable already, so they are
-- made anew instead of altered.
alter table realtime.outbox alter column id drop identity;
alter table realtime.outbox alter column id add generated always as identity;
alter sequence realtime.outbox_id_seq set logged;
select pg_catalog.setval('realtime.outbox_id_seq', o.last) from (select pg_catalog.max(id) as last from realtime.outbox) o where o.last is not null;

alter table realtime.long_message alter column id drop identity;
alter table realtime.long_message alter column id add generated always as identity;
alter sequence realtime.long_message_id_seq set logged;
select pg_catalog.setval('realtime.long_message_id_seq', m.last) from (select pg_catalog.max(id) as last from realtime.long_message) m where m.last is not null;
