-- Queues a mail with the documents of a booking, on behalf of staff. Returns 'queued'; 'no_documents' or 'no_address'
-- if there is nothing to send or no one to send it to; null if there is no such booking. A free booking that counts
-- as paid has a receipt without a document. Idempotent for each `p_request`.
create or replace function private.mail_documents(p_booking uuid, p_request uuid, p_actor uuid, p_now timestamptz)
returns text language plpgsql volatile set search_path = '' as $$
declare
  v_b private.booking;
begin
  select x.* into v_b from private.booking x where x.id = p_booking and x.moves_booking is null for update;
  if v_b.id is null then return null; end if;
  if not exists (select from private.document d where d.booking_id = v_b.id and d.voided_at is null)
    and not exists (
      select from private.payment x where x.booking_id = v_b.id and x.kind = 'free' and x.state = 'paid')
  then
    return 'no_documents';
  end if;
  if not exists (select from auth.users u where u.id = v_b.user_id and u.deleted_at is null)
    and (v_b.user_id is not null or v_b.guest_email is null)
  then
    return 'no_address';
  end if;
  insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
  values ('mail.document', v_b.id, p_request::text, '{}', p_now)
  on conflict do nothing;
  if found then
    perform private.audit(p_actor, 'create', 'booking', v_b.id::text, '{"mail": "document"}');
  end if;
  return 'queued';
end
$$;
