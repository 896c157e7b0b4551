-- These functions run in almost every statement of a caller, so they have to be cheap. A body of the form `return …` is
-- parsed and bound when the function is created, so the function needs no search_path. A function without settings can
-- be inlined into the statement, where it costs nothing.

-- Returns the claims of the caller's token; an empty object without a token.
create or replace function auth.jwt() returns jsonb language sql stable
  return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
grant execute on function auth.jwt() to anon, authenticated, service_role;

-- Returns the id of the caller's account, the claim `sub`; null for callers without an account.
create or replace function auth.uid() returns uuid language sql stable
  return nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')::uuid;
grant execute on function auth.uid() to anon, authenticated, service_role;
