import type { BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';
import type { Queryable } from '#server/db/database.ts';
import { callJson } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Changes some settings of the business and writes the audit log. Returns all settings. Throws `Refusal` for a photo that has not been
 * uploaded.
 */
export async function setSettings(
  { db, clock }: Services,
  changes: SettingsChange,
  actor: string,
): Promise<BusinessSettings> {
  if (changes.directionsPhoto !== undefined && changes.directionsPhoto !== '')
    await refuseUnknownPhoto(db, changes.directionsPhoto);
  const settings = await callJson(
    db,
    'set_business_settings',
    { p_changes: changes, p_actor: actor, p_now: clock() },
    (json: BusinessSettings) => json,
  );
  if (settings === null) throw new Error('set_business_settings returned nothing');
  return settings;
}

/** Requires that a photo still exists. One that was uploaded more than a day ago may have been deleted because it was unused. */
async function refuseUnknownPhoto(db: Queryable, name: string): Promise<void> {
  const found = await db.queryRow(`select 1 from storage.objects where bucket_id = 'rooms' and name = $1`, [name]);
  if (found === null)
    throw new Refusal('invalid_request', 'The photo was not found. Upload it again.', { field: 'directionsPhoto' });
}
