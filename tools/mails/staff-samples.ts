import * as doorHelp from '#server/mails/door-help.ts';
import * as identity from '#server/mails/identity.ts';
import * as jobAlert from '#server/mails/job-alert.ts';
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
const job = {
  id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b30',
  kind: 'payment.refund',
  reference: 'HC-7KQ2MD',
  tries: 12,
  since: at(-30),
  error: 'ProviderError: stripe answered 503 to POST /v1/refunds, and to the eleven calls before',
  closedFor: null,
};
const closed = { ...job, kind: 'mail.access-code', closedFor: 'The session is over.', error: null };
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
      '': [from, { count: 3, decideBy: at(60), session: booking }, `${SITE}/admin?tab=ids`],
      one: [from, { count: 1, decideBy: at(60), session: null }, `${SITE}/admin?tab=ids`],
    },
  }),
  ...render(missingId, {
    idNeededMail: {
      '': [from, withoutId, 'Olive', PROFILE],
      'without an end': [from, { ...withoutId, cancelAt: null }, null, PROFILE],
    },
    idMissingMail: {
      '': [from, withoutId, `${SITE}/admin?tab=today`],
      'too late': [from, { ...withoutId, cancelAt: null }, `${SITE}/admin?tab=today`],
    },
    idWithdrawnMail: { '': [from, 'Olive', reasons, PROFILE] },
  }),
  ...render(jobAlert, {
    jobAlertMail: {
      '': [from, [job, closed]],
      'too late': [from, [closed]],
      many: [from, Array.from({ length: 45 }, () => job)],
    },
  }),
  ...render(doorHelp, {
    doorHelpMail: {
      '': [from, door, `${SITE}/admin?tab=doors`],
      'of an unknown customer': [from, { ...door, name: null, phone: null }, `${SITE}/admin?tab=doors`],
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
  }),
  ...render(letter, {
    newsMail: { '': [from, news, `${SITE}/unsubscribe?id=8a4f3e1c-52d7-4f0b-9a36-1c8f0d2b7e55`] },
    customerMail: {
      '': [from, { subject: 'Your question about Studio B', body: 'Hi Olive,\n\nYes, bring your own controller.' }],
    },
  }),
];
