import type { BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';

/** Sets some of the settings of the business, with an entry in the audit log. Returns all of them. */
export async function setSettings(
  { db, clock }: { readonly db: Pick<Database, 'one'>; readonly clock: Clock },
  changes: SettingsChange,
  actor: string,
): Promise<BusinessSettings> {
  const row = await db.one<{ settings: BusinessSettings }>(
    'select private.set_business_settings($1::jsonb, $2::uuid, $3::timestamptz) as settings',
    [changes, actor, clock()],
  );
  if (row === null) throw new Error('set_business_settings returned no row');
  return row.settings;
}
