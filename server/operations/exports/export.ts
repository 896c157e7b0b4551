import type { ExportName } from '#contracts/exports/staff-export.ts';
import { Refusal } from '../core/refusal.ts';
import { writeCsv } from './csv.ts';
import { BEFORE_ALL, EXPORT_KINDS, type ExportKind, type TimeRange, withoutIds } from './kinds.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** Number of rows that are read and sent at a time, so that memory use does not depend on the length of the file. */
const PAGE = 500;

/**
 * Streams a file as CSV and logs the export. A failure halfway breaks the stream, so that an incomplete file cannot pass as complete.
 * `withIds`: whether to include results of ID checks. Throws `Refusal('invalid_request')`.
 */
export async function exportCsv(
  services: Services,
  { name, withIds, ...range }: TimeRange & { readonly name: ExportName; readonly withIds: boolean },
  actor: string,
): Promise<ReadableStream<Uint8Array>> {
  if (range.to <= range.from) throw new Refusal('invalid_request', 'to must be after from.');
  await recordAudit(services.db, { actor, action: 'export', resource: 'export', id: name, details: range });
  return streamCsv(services, withIds ? EXPORT_KINDS[name] : withoutIds(EXPORT_KINDS[name]), range);
}

/** Streams the rows of a range as CSV. */
export async function streamCsv(
  { db, clock }: Services,
  { columns, read }: ExportKind,
  range: TimeRange,
): Promise<ReadableStream<Uint8Array>> {
  // The same instant for all pages.
  const now = clock();
  let next = await read(db, range, { after: BEFORE_ALL, most: PAGE }, now);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(writeCsv([columns]))),
    async pull(controller) {
      if (next === null) return controller.close();
      const { rows, end } = next;
      controller.enqueue(encoder.encode(writeCsv(rows)));
      next = rows.length < PAGE ? null : await read(db, range, { after: end, most: PAGE }, now);
    },
  });
}
