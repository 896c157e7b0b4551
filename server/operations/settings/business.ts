import type { BusinessSettings } from '#rules/business/business.ts';
import type { SiteRoom } from '#rules/business/rooms.ts';
import type { Database } from '#server/db/database.ts';
import { resolveHoldMinutes } from './booking-rules.ts';

type Content = { readonly settings: BusinessSettings; readonly rooms: readonly SiteRoom[] };

/** The settings of the business, as cached by this process. Decisions about a booking read them from the database instead (booking-rules.ts). */
export type BusinessReader = {
  readonly now: () => BusinessSettings;
  /** The rooms that can be booked, in display order. */
  readonly rooms: () => readonly SiteRoom[];
  close(): Promise<void>;
};

/**
 * Reads the settings and follows their changes, including those made by other processes. `changed` is called after each change. If they
 * cannot be read, the previous settings stay in use. `holdMinutes`: the operator's hold time, which pages show instead of the setting of
 * staff; null if not set.
 */
export async function followBusiness(
  db: Pick<Database, 'queryRow' | 'listen'>,
  warn: (line: string) => void,
  operator: { readonly holdMinutes: number | null },
): Promise<BusinessReader & { onChange(changed: () => void): void }> {
  let current: Content | null = null;
  let tell = (): void => undefined;
  const read = async (): Promise<Content> => {
    const row = await db.queryRow<Content>(
      'select private.business_settings() as settings, private.site_rooms() as rooms',
    );
    if (row === null) throw new Error('business_settings returned no row');
    return { ...row, settings: { ...row.settings, holdMinutes: resolveHoldMinutes(operator, row.settings) } };
  };
  // Read one change after another, so that an older result never replaces a newer one.
  let reading = Promise.resolve();
  // Listen before the first read, so that no change in between is missed.
  const stop = await db.listen('business_settings', () => {
    reading = reading.then(async () => {
      try {
        current = await read();
        tell();
      } catch {
        warn('the settings of the business could not be read; the previous ones stay in use');
      }
    });
  });
  const first = await read();
  return {
    now: () => (current ?? first).settings,
    rooms: () => (current ?? first).rooms,
    onChange(changed) {
      tell = changed;
    },
    async close() {
      await stop();
      await reading;
    },
  };
}
