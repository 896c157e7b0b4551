import type { Auditor } from './auditor.ts';

type Picture = { storage_key: string; status: string | null; created_at: Date };
const PICTURES = `
select o.storage_key, v.verification_status as status, o.created_at from storage.objects o
left join public.id_verifications v on v.image_path = o.name where o.bucket_id = 'id-verifications'`;
const DECIDED_MS = 2 * 3_600_000;
const REVIEW_MS = 7 * 86_400_000 + DECIDED_MS;

/** Pictures of IDs are gone after the decision, and after a week without one. */
export const auditPictures: Auditor = async ({ world, db, report }) => {
  const { rows } = await db.query<Picture>(PICTURES);
  const now = world.time.now();
  for (const { storage_key: key, status, created_at: at } of rows) {
    const age = now - at.getTime();
    if (age > REVIEW_MS) report('G40', `the picture ${key} is ${Math.round(age / 86_400_000)} days old`);
    if (status !== 'review' && age > DECIDED_MS)
      report('G40', `the picture ${key} was kept after the decision (${status})`);
  }
};

type Logged = { n: number };
const ENTRIES = `
select count(*)::int as n from public.audit_logs where actor = $1::uuid and created_at <= $2::timestamptz
  and (created_at >= $4::timestamptz or resource_id = $3)`;

/** The audit log has an entry for each thing that staff did. */
export const auditLog: Auditor = async ({ db, crowd, report }) => {
  const { deeds, userId } = crowd.staff;
  for (const { call, subject, from, to } of deeds.splice(0)) {
    // A repeated deed changes nothing, so it has the entry of the first one.
    const row = await db.queryRow<Logged>(ENTRIES, [userId, new Date(to + 1_000), subject, new Date(from)]);
    if ((row?.n ?? 0) === 0) report('G39', `the audit log has nothing about ${call} at ${new Date(to).toISOString()}`);
  }
};

/** The places where the address of a deleted account could remain. */
const TRACES = `
select 'auth.users' as place from auth.users where email = $1 union all
select 'the jobs' from private.outbox where recipient = $1 and done_at is null and closed_at is null union all
select 'the bookings' from private.booking where guest_email = $1 union all
select 'the pictures' from storage.objects where owner = $2::uuid and bucket_id = 'id-verifications'`;

/** Deleted people leave no trace. */
export const auditDeletedPeople: Auditor = async ({ crowd, db, report }) => {
  for (const { email, userId, isDeleted } of crowd.people) {
    if (!isDeleted) continue;
    const { rows } = await db.query<{ place: string }>(TRACES, [email, userId]);
    for (const { place } of rows) report('G40', `${email} was deleted and is still in ${place}`);
  }
};
