import { Refusal } from '../core/refusal.ts';
import { streamCsv } from './export.ts';
import { exportKind, type ExportKind } from './kinds.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type ListRequest = { readonly list: 'mailing-list' } | { readonly list: 'gift-codes'; readonly batchId: string };

type Subscription = {
  readonly email: string;
  readonly joined: Date;
  readonly left: Date | null;
  readonly bounced: Date | null;
  readonly reason: string | null;
};
const mailingList = exportKind<Subscription>(
  ['Email', 'Joined', 'Left', 'Bounced', 'Bounced because'],
  `select m.created_at::text as at, m.id, m.email, m.consented_at as joined, m.unsubscribed_at as left, m.bounced_at as bounced,
     m.bounce_reason as reason
   from public.mailing_list m
   where m.created_at >= $1::timestamptz and m.created_at < $2::timestamptz and (m.created_at, m.id) > ($3::timestamptz, $4::uuid)
   order by m.created_at, m.id limit $5::int`,
  (subscription) => [
    subscription.email,
    subscription.joined,
    subscription.left,
    subscription.bounced,
    subscription.reason,
  ],
);

type GiftCode = {
  readonly code: string;
  readonly value: string;
  readonly used: boolean;
  readonly active: boolean;
  readonly expires: Date | null;
};
const giftCodes = (batchId: string): ExportKind =>
  exportKind<GiftCode>(
    ['Code', 'Discount', 'Used', 'Active', 'Expires'],
    `select d.created_at::text as at, d.id, d.code, d.current_uses > 0 as used, d.active, d.expires_at as expires,
       case d.discount_type when 'percentage' then trim_scale(d.discount_value) || '%' else '$' || to_char(d.discount_value, 'FM999999990.00') end as value
     from public.discount_codes d
     where d.gift_batch_id = $6::uuid and d.created_at >= $1::timestamptz and d.created_at < $2::timestamptz
       and (d.created_at, d.id) > ($3::timestamptz, $4::uuid)
     order by d.created_at, d.id limit $5::int`,
    (giftCode) => [
      giftCode.code,
      giftCode.value,
      giftCode.used ? 'yes' : 'no',
      giftCode.active ? 'yes' : 'no',
      giftCode.expires,
    ],
    () => [batchId],
  );

/** Streams the mailing list, or the codes of a batch, as CSV, and logs the export. Throws `Refusal('not_found')`. */
export async function exportList(
  services: Services,
  request: ListRequest,
  actor: string,
): Promise<ReadableStream<Uint8Array>> {
  const { db } = services;
  const batchId = request.list === 'gift-codes' ? request.batchId : null;
  if (batchId !== null && !(await db.queryRow('select from private.gift_batch where id = $1::uuid', [batchId])))
    throw new Refusal('not_found', 'This batch of codes doesn’t exist.');
  await recordAudit(db, { actor, action: 'export', resource: request.list, id: batchId });
  const all = { from: new Date(0), to: new Date('9999-12-31') };
  return streamCsv(services, batchId === null ? mailingList : giftCodes(batchId), all);
}
