import { closedDoorCents } from '#rules/doors.ts';
import type { IncidentState, LostOutcome, ProblemCategory, ReportKind } from '#rules/business/feedback.ts';
import type { Transaction } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type NewIncident = {
  /** Null if it does not concern a room. */
  readonly studioId: string | null;
  readonly description: string;
  /** Names of objects in the bucket `incidents` that the reporter has uploaded. */
  readonly photos: readonly string[];
  /** Identifies a call, so that it can be repeated when the answer was lost. */
  readonly requestId: string | null;
};
/** Additional fields of a customer's report. */
type OfCustomer = {
  readonly kind: ReportKind;
  readonly category: ProblemCategory | null;
  readonly bookingId: string;
  readonly customer: string;
};
type Incident = {
  readonly id: string;
  /** `door`: a customer's door does not open. `problem` and `lost`: reports by customers. */
  readonly kind: 'room' | 'door' | ReportKind;
  readonly category: ProblemCategory | null;
  /** The booking whose door stayed closed, with the duration and the corresponding part of its price. */
  readonly booking: ClosedDoor | null;
  /** The reference of the booking that it concerns. */
  readonly reference: string | null;
  readonly studioId: string | null;
  readonly studioName: string | null;
  readonly description: string;
  readonly state: IncidentState;
  readonly reporter: string | null;
  readonly photos: readonly string[];
  /** The answer of staff to the customer. */
  readonly answer: string | null;
  readonly answeredAt: Date | null;
  readonly outcome: LostOutcome | null;
  readonly createdAt: Date;
  readonly changedBy: string | null;
  readonly changedAt: Date | null;
};

/** Amounts are in cents. `refunded`: whether staff have refunded the amount. */
type ClosedDoor = {
  readonly id: string;
  readonly reference: string;
  readonly closedMinutes: number;
  readonly backCents: number;
  readonly refunded: boolean;
};

const BUCKET = 'incidents';
const LISTED = 200;

/**
 * Reports an incident for staff; `reporter` is null for the service key. Idempotent for the same `requestId`. Throws `Refusal('not_found')`
 * for an unknown room, or a photo that the reporter has not uploaded.
 */
export async function reportIncident(
  { db, clock }: Services,
  incident: NewIncident,
  reporter: string | null,
): Promise<string> {
  const { studioId } = incident;
  return db.transaction(async (tx) => {
    if (
      studioId !== null &&
      (await tx.queryRow('select 1 from public.studios where id = $1::uuid', [studioId])) === null
    )
      throw new Refusal('not_found', 'Studio not found');
    return storeIncident(tx, incident, { reporter, now: clock() });
  });
}

/**
 * Stores an incident with its audit log entry, once per `requestId`. Throws `Refusal('not_found')` for a photo that the reporter has not
 * uploaded.
 */
export async function storeIncident(
  tx: Transaction,
  { studioId, description, photos, requestId, ...more }: NewIncident & Partial<OfCustomer>,
  { reporter, now }: { readonly reporter: string | null; readonly now: Date },
): Promise<string> {
  const { kind = 'room', category = null, bookingId = null, customer = null } = more;
  const own = await tx.queryRow<{ found: number }>(
    `select count(distinct name)::int as found from storage.objects where bucket_id = $1 and name = any ($2::text[]) and owner = $3::uuid`,
    [BUCKET, photos, reporter],
  );
  if (own?.found !== photos.length) throw new Refusal('not_found', 'The photo was not found. Add it again.');
  const created = await tx.queryRow<{ id: string }>(
    `insert into private.incident (studio_id, description, photos, reporter, request_id, created_at, kind, category, booking_id, customer_id)
     values ($1::uuid, $2, $3::text[], $4::uuid, $5, $6::timestamptz, $7, $8, $9::uuid, $10::uuid)
     on conflict (reporter, request_id) do nothing returning id`,
    [studioId, description, photos, reporter, requestId, now, kind, category, bookingId, customer],
  );
  if (created === null) {
    const before = await tx.queryRow<{ id: string }>(
      'select id from private.incident where reporter = $1::uuid and request_id = $2',
      [reporter, requestId],
    );
    if (before === null) throw new Error('an incident cannot be read back');
    return before.id;
  }
  // A customer's text is deleted with the account, so only text by staff is logged.
  await recordAudit(tx, {
    actor: reporter,
    action: 'create',
    resource: 'incident',
    id: created.id,
    details: {
      after: { state: 'open' },
      studioId,
      photos: photos.length,
      ...(customer === null ? { description } : { kind, category, bookingId }),
    },
  });
  return created.id;
}

/** Changes the state of an incident for staff. Idempotent. Throws `Refusal('not_found')`. */
export async function changeIncident(
  { db, clock }: Services,
  { incidentId, state }: { readonly incidentId: string; readonly state: IncidentState },
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await tx.queryRow<{ state: IncidentState }>(
      'select state from private.incident where id = $1::uuid for update',
      [incidentId],
    );
    if (before === null) throw new Refusal('not_found', 'Incident not found');
    if (before.state === state) return;
    await tx.query(
      'update private.incident set state = $2, changed_by = $3::uuid, changed_at = $4::timestamptz where id = $1::uuid',
      [incidentId, state, actor, clock()],
    );
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'incident',
      id: incidentId,
      details: { before, after: { state } },
    });
  });
}

type IncidentRow = Omit<Incident, 'booking'> & {
  readonly booking: (Omit<ClosedDoor, 'backCents'> & { finalCents: number; sessionMinutes: number }) | null;
};

/** Reads up to two hundred incidents: first those that are not done, then newest first. */
export async function readIncidents({ db, clock, studioLocks }: Services): Promise<readonly Incident[]> {
  const { rows } = await db.query<IncidentRow>(
    `select i.id, i.kind, i.studio_id as "studioId", s.name as "studioName", i.description, i.state, coalesce(p.full_name, p.email) as reporter, i.photos,
       i.category, b.reference, i.answer, i.answered_at as "answeredAt", i.outcome,
       i.created_at as "createdAt", coalesce(c.full_name, c.email) as "changedBy", i.changed_at as "changedAt",
       case when b.id is not null and i.kind = 'door' then jsonb_build_object('id', b.id, 'reference', b.reference, 'finalCents', b.final_cost_cents,
         'closedMinutes', private.closed_minutes(i, $2::jsonb ->> b.studio_id::text, $3::timestamptz),
         'sessionMinutes', extract(epoch from b.end_time - b.start_time) / 60,
         'refunded', exists (select from private.partial_refund r join private.payment x on x.id = r.payment_id
           where x.booking_id = b.id and r.request_key = 'request:incident:' || i.id)) end as booking
     from private.incident i
     left join public.studios s on s.id = i.studio_id
     left join private.booking b on b.id = i.booking_id
     left join public.profiles p on p.user_id = i.reporter
     left join public.profiles c on c.user_id = i.changed_by
     order by i.state = 'done', i.created_at desc, i.id limit $1::int`,
    [LISTED, Object.fromEntries(studioLocks), clock()],
  );
  return rows.map(({ booking, ...incident }) => {
    if (booking === null) return { ...incident, booking };
    const { finalCents, sessionMinutes, ...door } = booking;
    return {
      ...incident,
      booking: { ...door, backCents: closedDoorCents(finalCents, door.closedMinutes, sessionMinutes) },
    };
  });
}
