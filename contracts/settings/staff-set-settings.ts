import { z } from 'zod';
import { settingsChangeSchema } from '#rules/business/settings-change.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { defineCall } from '../core/define-call.ts';

const articles = z.array(z.strictObject({ title: z.string(), text: z.string() }));

/** All settings of the business, as `rules/business/business.ts` describes them. */
const settings = z.strictObject({
  name: z.string(),
  legalName: z.string(),
  abn: z.string().describe('Empty until the business is registered.'),
  address: z.string(),
  directions: z.string(),
  directionsPhoto: z.string().describe('The name of an uploaded photo. Empty for none.'),
  directionsPhotoText: z.string(),
  phone: z.string(),
  email: z.string(),
  instagram: z.string(),
  arrivalNotes: z.string().describe('Shown to people with a booking only.'),
  notice: z.string(),
  holdMinutes: z.int(),
  horizonDays: z.int(),
  freeCancelHours: z.int(),
  maxLiveHolds: z.int(),
  holdsPerHour: z.int(),
  maxUnpaidHours: z.int(),
  maxUnpaidHoursOfBooking: z.int(),
  salesAccount: z.string().describe('The account of the sales in Xero.'),
  terms: articles,
  privacy: articles,
  termsVersion: z.string().describe('Changes with the terms and with `freeCancelHours`.'),
});

export const staffSetSettings = defineCall({
  name: 'staff-set-settings',
  summary: 'Changes the settings that the body names. Answers with all settings.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'settings',
  limit: { max: 60, seconds: 60 },
  body: settingsChangeSchema,
  answer: z.strictObject({ settings }),
  refusals: {},
  example: {
    body: { notice: 'Closed on Monday' },
    answer: {
      settings: {
        ...firstSettings,
        notice: 'Closed on Monday',
        terms: [{ title: 'Bookings', text: 'You book by the hour.' }],
        privacy: [{ title: 'Your data', text: 'We keep what a booking needs.' }],
      },
    },
  },
});
