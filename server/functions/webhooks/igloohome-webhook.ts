import { igloohomeWebhook as contract, reportSchema } from '#contracts/webhooks/igloohome-webhook.ts';
import type { DoorEvent } from '#rules/doors.ts';
import { recordBridge, recordReport } from '#server/operations/access/record-report.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { defineHandler } from '../handler.ts';
import { parse, readJson } from '../requests.ts';

/** igloohome's log types. 20: a one-time code was used. 22: a duration code was used for the first time. 19: it was used again. */
const KINDS: Readonly<Partial<Record<number, DoorEvent>>> = {
  20: 'code',
  22: 'code',
  19: 'code',
  16: 'wrong_code',
  18: 'master_code',
  11: 'bluetooth',
  37: 'bluetooth',
  43: 'card',
  56: 'fingerprint',
  50: 'from_inside',
  51: 'from_inside',
  52: 'from_inside',
  49: 'locked',
  53: 'break_in',
};
/** igloohome's event types: entries of a lock's log, and changes of the bridge's connection. */
const ACTIVITY = 5;
const CONNECTIVITY = 10;

export const igloohomeWebhook = defineHandler(contract, async (services, { request, body }) => {
  if (!(await services.verifyLockWebhook(request, body)))
    throw new Refusal('invalid_request', 'The signature is invalid.');
  const { product, event } = parse(reportSchema, readJson(Buffer.from(body))).payload;
  if (event.type === CONNECTIVITY) await recordBridge(services);
  for (const entry of event.type === ACTIVITY ? (event.data.activityLogs ?? []) : [])
    await recordReport(services, {
      lockId: product.id,
      kind: KINDS[entry.logType] ?? 'other',
      pin: entry.pin ?? null,
      at: new Date(entry.entryDate * 1000),
    });
  return { received: true as const };
});
