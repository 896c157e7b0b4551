-- Claims up to `p_limit` due events of the webhook inbox for a minute each. Concurrent calls claim different events.
create or replace function private.claim_webhooks(p_now timestamptz, p_limit integer)
returns setof private.webhook_inbox language sql volatile set search_path = '' as $$
  update private.webhook_inbox w
  set tries = w.tries + 1, next_try_at = p_now + interval '1 minute'
  where (w.provider, w.event_id) in (
    select x.provider, x.event_id
    from private.webhook_inbox x
    where x.handled_at is null and (x.next_try_at is null or x.next_try_at <= p_now)
    order by x.next_try_at nulls first limit p_limit for update skip locked
  )
  returning w.*
$$;
