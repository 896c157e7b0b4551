-- Reconciliation deletes old events every five minutes: it finds them without reading those that stay (docs/scale.md).
create index webhook_inbox_handled on private.webhook_inbox (handled_at) where handled_at is not null;
