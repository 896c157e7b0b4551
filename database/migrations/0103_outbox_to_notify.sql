-- By when a job was queued, as alerts are taken: an index by notified_at had to be changed, and with it every other one, for each job that an alert names.
drop index private.outbox_to_notify;
create index outbox_to_notify on private.outbox (created_at) where (alerted_at is not null or closed_at is not null) and done_at is null;
