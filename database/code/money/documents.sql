-- Issues the missing documents of a payment: the invoice, and an adjustment note for each part of the money that went
-- back. A note whose refund did not arrive after all is voided and keeps its number. Money that arrived too late for
-- its hours and went back at once bought nothing, so it gets no document. Idempotent.
create or replace function private.issue_documents(p_payment uuid)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_x private.payment;
  v_back record;
begin
  select p.* into v_x from private.payment p where p.id = p_payment;
  if v_x.id is null or coalesce(v_x.paid_cents, 0) = 0 or v_x.state not in (
    'paid', 'disputed', 'dispute_lost', 'refund_pending', 'refunded', 'refund_failed', 'refund_manual')
  then
    return;
  end if;
  if not exists (select from private.document d where d.payment_id = v_x.id) then
    if v_x.refund_reason in ('amount_mismatch', 'second_payment', 'blocked', 'too_late')
      or not exists (select from private.booking b where b.id = v_x.booking_id and b.confirmed_at is not null)
    then
      return;
    end if;
    perform private.add_document(
      v_x, null, v_x.paid_cents, private.document_content(v_x), coalesce(v_x.paid_at, pg_catalog.clock_timestamp()));
  end if;
  for v_back in
    select r.* from private.returned_money(v_x) r
    where not exists (select from private.document d where d.payment_id = v_x.id and d.refund_key = r.key)
    order by r.at, r.key
  loop
    perform private.add_document(
      v_x, v_back.key, v_back.cents,
      private.document_content(v_x) || pg_catalog.jsonb_build_object(
        'cancelled', (select b.status = 'cancelled' from private.booking b where b.id = v_x.booking_id)),
      v_back.at);
  end loop;
  update private.document d
  set voided_at = case when r.key is null then coalesce(d.voided_at, pg_catalog.clock_timestamp()) end
  from private.document o
  left join private.returned_money(v_x) r on r.key = o.refund_key
  where d.number = o.number and o.payment_id = v_x.id and o.kind = 'adjustment'
    and (o.voided_at is null) <> (r.key is not null);
end
$$;

-- Issues the documents when a payment, or a refund of one, changes its state. The triggers run at the end of the
-- transaction, so that no transaction waits for the document number while this one waits for something else.
create or replace function private.document_payment()
returns trigger language plpgsql security definer set search_path = '' as $$
declare
  -- A row of a payment, or of a refund of one.
  v_row constant jsonb := pg_catalog.to_jsonb(new);
begin
  perform private.issue_documents(coalesce(v_row ->> 'payment_id', v_row ->> 'id')::uuid);
  return null;
end
$$;

create constraint trigger payment_documents after insert or update of state on private.payment
  deferrable initially deferred for each row execute function private.document_payment();

create constraint trigger refund_documents after insert or update of status on private.refund
  deferrable initially deferred for each row execute function private.document_payment();

create constraint trigger partial_refund_documents after update of state on private.partial_refund
  deferrable initially deferred for each row execute function private.document_payment();

-- Adds a document with the next number, unless the payment already has one for the same refund. `p_refund` is null
-- for the invoice. Queues the mail about an adjustment note in the same transaction, so that no mail is lost. Money
-- that the customer's bank took back is not a refund of ours, so its note is not mailed.
create or replace function private.add_document(
  x private.payment, p_refund text, p_cents integer, p_content jsonb, p_at timestamptz
)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_number integer;
begin
  -- The next transaction reads the number after this one has committed, so numbers have no gaps.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('document-number', 0));
  insert into private.document (number, kind, booking_id, payment_id, refund_key, cents, content, issued_at)
  select coalesce((select max(d.number) from private.document d), 0) + 1,
    case when p_refund is null then 'invoice' else 'adjustment' end,
    x.booking_id, x.id, p_refund, p_cents, p_content, p_at
  on conflict (payment_id, refund_key) do nothing
  returning number into v_number;
  if v_number is not null and p_refund is not null and p_refund <> 'dispute_lost' then
    insert into private.outbox (kind, subject_id, dedupe, payload, due_at)
    values ('mail.document', x.booking_id, 'note:' || v_number,
      pg_catalog.jsonb_build_object('number', v_number), p_at)
    on conflict do nothing;
  end if;
end
$$;

-- Returns the content of a document that does not change later: seller, buyer and items as they are when it is
-- issued.
create or replace function private.document_content(x private.payment)
returns jsonb language sql stable set search_path = '' as $$
  select pg_catalog.jsonb_build_object(
    'seller', (
      select pg_catalog.jsonb_build_object(
        'name', s ->> 'legalName', 'abn', s ->> 'abn', 'address', s ->> 'address', 'email', s ->> 'email',
        'phone', s ->> 'phone')
      from private.business_settings() s),
    'buyer', pg_catalog.jsonb_build_object(
      'name', coalesce(p.full_name, b.guest_name), 'email', coalesce(p.email, b.guest_email)),
    'online', x.kind = 'card', 'change', x.move_number is not null,
    'studioName', b.studio_name, 'startTime', b.start_time, 'endTime', b.end_time, 'hours', b.total_hours,
    'slots', b.slots, 'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents,
    'couponCode', b.coupon_terms ->> 'code', 'couponCents', b.coupon_discount_cents,
    'waivedCents', b.waived_cents, 'totalCents', b.final_cost_cents)
  from private.booking b
  left join public.profiles p on p.user_id = b.user_id
  where b.id = x.booking_id
$$;

-- Returns the parts of a payment that went back, in cents. `key` names each part.
create or replace function private.returned_money(x private.payment)
returns table (key text, cents integer, at timestamptz) language sql stable set search_path = '' as $$
  select r.id, r.amount_cents, r.updated_at
  from private.refund r
  where r.payment_id = x.id and r.status = 'succeeded'
  union all
  select 'part:' || p.id, p.amount_cents, p.updated_at
  from private.partial_refund p
  where p.payment_id = x.id and p.state = 'manual'
  union all
  -- The rest, if staff settled it themselves or the customer's bank took it.
  select x.state, x.paid_cents - done.cents, x.updated_at
  from (
    select coalesce(sum(s.cents), 0)::integer as cents
    from (
      select r.amount_cents as cents from private.refund r where r.payment_id = x.id and r.status = 'succeeded'
      union all
      select p.amount_cents from private.partial_refund p where p.payment_id = x.id and p.state = 'manual'
    ) s
  ) done
  where x.state in ('refund_manual', 'dispute_lost') and x.paid_cents > done.cents
$$;

-- Removes personal data of buyers from documents: the email address when the account is deleted, and the name when the
-- retention period of tax law has ended.
create or replace function private.forget_document_buyer()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update private.document d
  set content = pg_catalog.jsonb_set(d.content, '{buyer}', pg_catalog.jsonb_build_object(
    'email', null,
    'name', case when new.guest_name is not null then d.content #> '{buyer,name}' end))
  where d.booking_id = new.id;
  return null;
end
$$;

create trigger booking_buyer_forgotten after update of user_id, guest_name on private.booking for each row
  when (new.user_id is null and (old.user_id is not null or old.guest_name is not null and new.guest_name is null))
  execute function private.forget_document_buyer();
