import { callFunction } from '#web/data/fetch-client.ts';
import type { ExportRequest } from './export-form.ts';

/** Reads a file of the given days as CSV. */
export function readExport(request: ExportRequest): Promise<string> {
  return callFunction('staff-export', request);
}
