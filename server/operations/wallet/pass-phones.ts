import { createHash, randomUUID } from 'node:crypto';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { describePass, type PassRow, readPass, requireApple } from './pass-rows.ts';
import type { Services } from '../core/services.ts';

/** Purpose of the token in a pass. All versions of a booking's pass have the same token, because a phone rejects a different one. */
const PASS_TOKEN = 'wallet-pass';
/** Far in the future: access ends when the stored pass is deleted. */
const TOKEN_END = new Date('2100-01-01T00:00:00Z');
/** Limit of devices per pass. Enough for the phones and watches of a customer and of people who are sent the pass. */
const PHONES_MAX = 20;
/** Changes within this time before a phone's last request are reported to it again, because they might not have been committed then. */
const OVERLAP = '1 minute';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A request about an Apple pass, with the token that the phone sends. */
export type PassRequest = { readonly typeId: string; readonly serial: string; readonly token: string };

/** Returns the token in the pass of a booking. */
export const passToken = ({ links }: Services, bookingId: string): string =>
  links.sign(PASS_TOKEN, bookingId, TOKEN_END);

/** The URL at which phones request newer passes. */
const serviceUrl = ({ siteUrl }: Services): string => `${siteUrl}/functions/v1/wallet-service`;

/**
 * Stores that a phone has the pass and wants to be notified of changes. Returns false if it was already stored. A phone that is added after
 * a change is notified of it. Throws `Refusal`: `not_signed_in`, `not_found`, `too_many_requests`.
 */
export async function addPhone(
  services: Services,
  { device, pushToken, ...request }: PassRequest & { readonly device: string; readonly pushToken: string },
): Promise<boolean> {
  authorise(services, request);
  const now = services.clock();
  return services.db.transaction(async (tx) => {
    // This transaction and a concurrent change of the booking wait for each other here. Either the job of the change finds the phone, or
    // the new version is seen here.
    const pass = await tx.queryRow<{ version: number; phones: number }>(
      `select w.version, (select count(*)::int from private.pass_device d where d.booking_id = w.booking_id and d.device_hash <> $2) as phones
       from private.wallet_pass w where w.booking_id = $1::uuid and w.apple_at is not null for share of w`,
      [request.serial, hashDevice(device)],
    );
    if (pass === null) throw unknown();
    if (pass.phones >= PHONES_MAX) throw new Refusal('too_many_requests', 'This pass is on too many phones.');
    const row = await tx.queryRow<{ added: boolean }>(
      `insert into private.pass_device as d (booking_id, device_hash, push_token, created_at) values ($1::uuid, $2, $3, $4::timestamptz)
       on conflict (booking_id, device_hash) do update set push_token = excluded.push_token returning d.xmax = 0 as added`,
      [request.serial, hashDevice(device), pushToken, now],
    );
    if (pass.version > 1)
      await enqueue(tx, { kind: 'pass.apple', subjectId: request.serial, dedupe: `phone:${randomUUID()}`, dueAt: now });
    return row?.added === true;
  });
}

/** Deletes the record that a phone has the pass. Throws `Refusal`: `not_signed_in`, `not_found`. */
export async function removePhone(
  services: Services,
  request: PassRequest & { readonly device: string },
): Promise<void> {
  authorise(services, request);
  await services.db.query('delete from private.pass_device where booking_id = $1::uuid and device_hash = $2', [
    request.serial,
    hashDevice(request.device),
  ]);
}

/**
 * Lists the passes of a phone that have changed since its last request, with the tag for the next request; null if there are none. The
 * phone's number is sufficient for access, because Apple discloses it to no one else. Throws `Refusal`: `not_found`.
 */
export async function listChanged(
  { db, wallets }: Services,
  { typeId, device, since }: { readonly typeId: string; readonly device: string; readonly since: number | null },
): Promise<{ readonly serials: readonly string[]; readonly tag: string } | null> {
  if (wallets.apple?.typeId !== typeId) throw unknown();
  const row = await db.queryRow<{ serials: readonly string[] | null; tag: string }>(
    `select array_agg(w.booking_id::text order by w.changed_at) as serials, floor(extract(epoch from clock_timestamp()))::bigint::text as tag
     from private.pass_device d join private.wallet_pass w on w.booking_id = d.booking_id
     where d.device_hash = $1 and ($2::float8 is null or w.changed_at > to_timestamp($2::float8) - interval '${OVERLAP}')`,
    [hashDevice(device), since],
  );
  return row?.serials ? { serials: row.serials, tag: row.tag } : null;
}

/**
 * Renders the current pass, also for a cancelled booking and after the session. `file` is null if the phone already has this version. The
 * pass keeps the phone's token. Throws `Refusal`: `not_signed_in`, `not_found`, `not_configured`.
 */
export async function readNewPass(
  services: Services,
  request: PassRequest & { readonly since: Date | null },
): Promise<{ readonly file: Buffer | null; readonly changedAt: Date }> {
  authorise(services, request);
  const row = await readPass(services, request.serial);
  if (row === null) throw unknown();
  const { changedAt } = row;
  if (request.since !== null && changedAt <= request.since) return { file: null, changedAt };
  return { file: await makeApplePass(services, row, request.token), changedAt };
}

/** Renders the .pkpass file of a booking. Throws `Refusal`: `not_configured`. */
export async function makeApplePass(services: Services, row: PassRow, token: string): Promise<Buffer> {
  const now = services.clock();
  const service = { url: serviceUrl(services), token };
  return requireApple(services.wallets, now).make(describePass(row, services.siteUrl), service, now);
}

/** Throws `Refusal` unless the token belongs to the pass. */
function authorise({ wallets, links, clock }: Services, { typeId, serial, token }: PassRequest): void {
  if (wallets.apple?.typeId !== typeId || !UUID.test(serial)) throw unknown();
  if (links.read(PASS_TOKEN, token, clock()) !== serial)
    throw new Refusal('not_signed_in', 'This is not the token of the pass.');
}

const unknown = (): Refusal => new Refusal('not_found', 'There is no such pass.');
const hashDevice = (device: string): string => createHash('sha256').update(device).digest('hex');
