-- A server that runs checks whether the database has the migrations it needs.
grant select on private.migrations to backend;
