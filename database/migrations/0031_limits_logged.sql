-- Limits outlive a crash of PostgreSQL too: an unlogged table would come back empty (promises G28).
alter table private.rate_bucket set logged;
