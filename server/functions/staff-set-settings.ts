import { settingsChangeSchema } from '#rules/business/settings-change.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-set-settings', max: 60, seconds: 60 };

/** Changes the settings that the body names, such as `{name, notice}`. Answers with all of them: `{settings}`. */
export function staffSetSettings({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      return json({ settings: await setSettings(booking, parse(settingsChangeSchema, body), actorOf(caller)) });
    },
  };
}
