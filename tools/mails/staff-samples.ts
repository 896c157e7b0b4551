import type { Alert } from '#rules/alerts/alerts.ts';
import * as alerts from '#server/mails/alert.ts';
import * as doorHelp from '#server/mails/door-help.ts';
import * as identity from '#server/mails/identity.ts';
import * as letter from '#server/mails/letter.ts';
import * as missingId from '#server/mails/missing-id.ts';
import * as staff from '#server/mails/staff.ts';
import { at, booking, from, type Rendered, render, SITE } from './sample.ts';

const PROFILE = `${SITE}/profile`;
const reasons = [
  'The name on the ID is not the name of the account.',
  'The photo is too dark to read the date of birth.',
];
const news = {
  subject: 'A new mixer in Studio B, and cheaper mornings',
  body: 'From Monday there is a new mixer in Studio B.\nCome and try it.\n\nMornings cost $39: [see the prices](https://studios.example/booking), or read https://studios.example/about.',
};
const withoutId = { ...booking, cancelAt: at(-1) };
const refund: Alert = {
  kind: 'job_failing',
  since: at(-30),
  due: null,
  job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b30', kind: 'payment.refund', tries: 12 },
  problem: 'stripe: http_503',
  booking,
  studioId: '5a000000-0000-4000-8000-00000000000b',
  studioName: 'Studio B',
  customer: null,
};
const late: Alert = {
  ...refund,
  kind: 'job_late',
  job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b31', kind: 'mail.access-code', tries: 3 },
  problem: 'The session ended before the access code could be mailed.',
};
const lockless: Alert = {
  ...refund,
  job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b32', kind: 'access.request', tries: 3 },
  problem: 'igloohome: http_404',
};
const door = {
  ...booking,
  description: 'Right door, keypad awake, new code tried.',
  name: 'Olive Nguyen',
  phone: '+61 400 000 014',
};

/** Renders what staff get, and what they and the checks of IDs write to customers. */
export const staffMails = (): Rendered[] => [
  ...render(identity, {
    idApprovedMail: { '': [from, 'Olive', at(24 * 365), `${SITE}/booking`] },
    idRefusedMail: {
      '': [from, 'Olive', reasons, null, PROFILE],
      'too young': [from, null, ['You must be 18 or older.'], '2027-04-03', PROFILE],
    },
    idRetakeMail: { '': [from, 'Olive', reasons, PROFILE] },
    reviewWaitingMail: {
      '': [from, { count: 3, decideBy: at(60), session: booking }, SITE],
      one: [from, { count: 1, decideBy: at(60), session: null }, SITE],
    },
  }),
  ...render(missingId, {
    idNeededMail: {
      '': [from, withoutId, 'Olive', PROFILE],
      'without an end': [from, { ...withoutId, cancelAt: null }, null, PROFILE],
    },
    idMissingMail: {
      '': [from, withoutId, SITE],
      'too late': [from, { ...withoutId, cancelAt: null }, SITE],
    },
    idWithdrawnMail: { '': [from, 'Olive', reasons, PROFILE] },
  }),
  ...render(alerts, {
    alertMail: {
      '': [from, [refund, late, lockless], SITE],
      'without a door code': [from, [lockless], SITE],
      'too late': [from, [late], SITE],
      many: [from, Array.from({ length: 45 }, () => refund), SITE],
    },
  }),
  ...render(doorHelp, {
    doorHelpMail: {
      '': [from, door, SITE],
      'of an unknown customer': [from, { ...door, name: null, phone: null }, SITE],
    },
  }),
  ...render(staff, {
    staffInvitationMail: {
      '': [
        from,
        {
          href: `${SITE}/staff-invitation#${'c2Vj'.repeat(30)}`,
          permissions: ['bookings', 'identity', 'money'],
          until: at(168),
          inviter: 'Ruby Chen',
        },
      ],
    },
    secondFactorMail: {
      '': [from, { until: at(168), siteUrl: SITE }],
      'that is needed now': [from, { until: null, siteUrl: SITE }],
    },
  }),
  ...render(letter, {
    newsMail: { '': [from, news, `${SITE}/unsubscribe?id=8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55`] },
    customerMail: {
      '': [from, { subject: 'Your question about Studio B', body: 'Hi Olive,\n\nYes, bring your own controller.' }],
    },
  }),
];
