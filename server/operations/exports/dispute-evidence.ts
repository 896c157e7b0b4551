import { disputeEvidence, type EvidenceFacts } from './dispute-evidence-page.ts';
import { readDoorLog } from '../access/doors.ts';
import { Refusal } from '../core/refusal.ts';
import { readDisputes } from '../staff/read-disputes.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type EvidenceFile = { readonly name: string; readonly html: string };

/** SQL that selects the settings in force at an instant, among those with this version of the terms, or else the earliest of these. */
const settingsSql = (version: string, at: string): string =>
  `(select s.settings from public.business_settings s where s.settings ->> 'termsVersion' = ${version}
     order by s.created_at <= ${at} desc, case when s.created_at <= ${at} then s.version end desc nulls last, s.version limit 1)`;

/**
 * Collects the evidence for a dispute about a booking into one HTML page, and logs the export: booking, price, terms, result of the ID
 * check, codes, door log and mails. The terms are those of the booking, with the cancellation period that was frozen with it. The page
 * contains neither digits of codes nor pictures. `withIds`: whether to include the results of ID checks. Throws `Refusal('not_found')`.
 */
export async function gatherEvidence(
  services: Services,
  { bookingId, withIds }: { readonly bookingId: string; readonly withIds: boolean },
  actor: string,
): Promise<EvidenceFile> {
  const { db, clock } = services;
  const row = await db.queryRow<{ facts: Omit<EvidenceFacts, 'disputes' | 'doorLog' | 'madeAt'> }>(
    `select jsonb_build_object(
       'business', private.business_settings() ->> 'legalName', 'reference', b.reference, 'studioName', b.studio_name, 'start', b.start_time, 'end', b.end_time, 'status', b.status, 'hours', b.total_hours,
       'createdAt', b.created_at, 'confirmedAt', b.confirmed_at, 'cancelledAt', b.cancelled_at,
       'madeByStaff', b.made_by is not null, 'freeCancelHours', (b.policy ->> 'freeCancelHours')::numeric,
       'baseCents', b.base_cost_cents, 'discountCents', b.discount_cents, 'couponCents', b.coupon_discount_cents, 'waivedCents', b.waived_cents,
       'finalCents', b.final_cost_cents,
       'customer', jsonb_build_object('name', coalesce(p.full_name, b.guest_name), 'email', coalesce(p.email, b.guest_email),
         'phone', coalesce(b.contact_phone, p.phone), 'since', p.created_at),
       'payments', (select coalesce(jsonb_agg(jsonb_build_object('kind', x.kind, 'state', x.state, 'cents', coalesce(x.paid_cents, x.amount_cents),
           'refundedCents', x.refunded_cents, 'paidAt', x.paid_at, 'providerId', x.payment_intent_id) order by x.attempt), '[]')
         from private.payment x where x.booking_id = b.id and x.paid_at is not null),
       'terms', (select coalesce(jsonb_agg(jsonb_build_object('version', t.version, 'acceptedAt', t.accepted_at) order by t.accepted_at), '[]')
         from public.terms_acceptances t where t.user_id = b.user_id and t.accepted_at <= b.created_at),
       'agreed', (select jsonb_build_object('version', g.version, 'texts', ${settingsSql('g.version', 'g.at')} || case when b.policy ? 'freeCancelHours'
             then jsonb_build_object('freeCancelHours', b.policy -> 'freeCancelHours') else '{}' end)
         from (select coalesce(b.terms_version, t.version) as version, coalesce(t.accepted_at, b.created_at) as at
           from (select 1) one left join lateral (select a.version, a.accepted_at from public.terms_acceptances a
             where a.user_id = b.user_id and a.accepted_at <= b.created_at and a.version = coalesce(b.terms_version, a.version)
             order by a.accepted_at desc limit 1) t on true) g where g.version is not null),
       'ids', case when $2 then (select coalesce(jsonb_agg(jsonb_build_object('source', v.source, 'status', v.verification_status, 'checkedAt', v.created_at,
           'verifiedAt', v.verified_at, 'expiresAt', v.expires_at, 'nameMatched', v.name_match_status) order by v.created_at), '[]')
         from public.id_verifications v where v.user_id = b.user_id and v.created_at <= b.end_time) end,
       'codes', (select coalesce(jsonb_agg(jsonb_build_object('from', c.starts_at, 'until', c.ends_at, 'requestedAt', c.created_at,
           'acceptedAt', c.issued_at, 'seenAt', c.seen_at, 'usedAt', c.used_at) order by c.attempt), '[]')
         from public.booking_access_codes c where c.booking_id = b.id and c.status <> 'failed'),
       'mails', (select coalesce(jsonb_agg(jsonb_build_object('kind', o.kind, 'sentAt', o.done_at) order by o.done_at), '[]')
         from private.outbox o where o.subject_id = b.id and o.kind like 'mail.%' and o.kind <> 'mail.id-missing' and o.done_at is not null)) as facts
     from private.booking b left join public.profiles p on p.user_id = b.user_id where b.id = $1::uuid`,
    [bookingId, withIds],
  );
  if (row === null) throw new Refusal('not_found', 'Booking not found');
  const [disputes, doorLog] = await Promise.all([
    readDisputes(services, bookingId),
    readDoorLog(services, { studioId: null, bookingId, before: null }),
  ]);
  await recordAudit(db, {
    actor,
    action: 'export',
    resource: 'booking',
    id: bookingId,
    details: { file: 'dispute evidence', disputes: disputes.map(({ id }) => id) },
  });
  const { facts } = row;
  return {
    name: `dispute-evidence-${facts.reference}.html`,
    html: disputeEvidence({ ...facts, disputes, doorLog: doorLog.toReversed(), madeAt: clock() }),
  };
}
