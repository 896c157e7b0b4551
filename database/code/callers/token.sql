-- Returns the role in the caller's token, such as 'authenticated' or 'service_role'; null without claims.
create or replace function auth.role() returns text language sql stable
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';
grant execute on function auth.role() to anon, authenticated, service_role;

-- Returns the email address in the caller's token; null if it has none.
create or replace function auth.email() returns text language sql stable
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email';
grant execute on function auth.email() to anon, authenticated, service_role;
