import type { BusinessSettings } from '#rules/business/business.ts';
import type { SettingsChange } from '#rules/business/settings-change.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';

/** The settings from a point in time on. `by`: the name of the person who set them; null for the initial settings and for former staff. */
export type SettingsVersion = {
  readonly version: number;
  readonly settings: BusinessSettings;
  readonly at: Date;
  readonly by: string | null;
};

/** The number of versions that are shown. */
const SHOWN = 50;
/** Defaults of settings that earlier versions lack. */
const LATER_SETTINGS = { directionsPhoto: '', directionsPhotoText: '' };
/** The queries that become stale when the settings change. */
export const SETTINGS_CHANGES = [queryKeys.settings.all, queryKeys.texts.all];

/** Reads the settings with their history, newest first. */
export async function readSettings(): Promise<SettingsVersion[]> {
  const { data, error } = await rest
    .from('business_settings')
    .select('version,settings,created_at,created_by')
    .order('version', { ascending: false })
    .limit(SHOWN);
  if (error) throw error;
  const people = await rest
    .from('staff_names')
    .select('user_id,full_name')
    .in('user_id', [...new Set(data.flatMap(({ created_by }) => created_by ?? []))]);
  if (people.error) throw people.error;
  const names = new Map(people.data.map((person) => [person.user_id, person.full_name]));
  return data.map(({ version, settings, created_at, created_by }) => ({
    version,
    // Cast: the database checks every value that is stored.
    settings: { ...LATER_SETTINGS, ...(settings as unknown as BusinessSettings) },
    at: new Date(created_at),
    by: names.get(created_by ?? '') ?? null,
  }));
}

/** Changes these settings. Throws `AppError`. */
export function setSettings(changes: SettingsChange): Promise<unknown> {
  return callFunction('staff-set-settings', changes);
}
