import { expect, test } from 'vitest';
import { slotStart } from '../studio-time.ts';
import { type Alert, ALERT_KINDS, alertAddress, alertKey, describeAlert } from './alerts.ts';

const SINCE = slotStart('2031-03-03', 1) ?? new Date(0);
const FULL: Alert = {
  kind: 'job_failing',
  since: SINCE,
  due: slotStart('2031-03-03', 3),
  job: { id: 'j1', kind: 'access.request', tries: 3 },
  problem: 'igloohome: http_404',
  booking: {
    id: 'b1',
    reference: 'HC-ABC234',
    studioName: 'Studio D',
    start: slotStart('2031-03-03', 4) ?? new Date(0),
  },
  studioId: 's1',
  studioName: 'Studio D',
  customer: 'Kim',
};
/** An alert with every detail that an alert can have, and one with none. */
const SHAPES = [
  FULL,
  { ...FULL, due: null, job: null, problem: null, booking: null, studioId: null, studioName: null, customer: null },
];

test('a door code that fails because of an unknown lock says so in a sentence, and leads to the form of the room', () => {
  expect(describeAlert(FULL)).toEqual({
    title: 'No door code for the 4 am session in Studio D',
    why: ['The lock service does not know this lock', 'Tried 3 times. We’ll keep trying'],
    support: null,
    action: { label: 'Fix lock', to: '/admin?tab=rooms&room=s1', permission: 'settings' },
    isUrgent: false,
  });
});

/** Kinds whose problem comes from a job. The others have their own words. */
const OF_JOBS: readonly string[] = ['refund_failed', 'mail_bounced', 'job_failing', 'job_late'];

test.each(ALERT_KINDS.flatMap((kind) => SHAPES.map((shape) => ({ ...shape, kind }))))(
  'an alert $kind has a title, an action and a place in the admin pages, and shows no raw code, with the job $job.id',
  (alert) => {
    const problems = ['stripe: http_503', 'igloohome: http_418', 'igloohome: http_404', 'a new_code', null];
    for (const problem of OF_JOBS.includes(alert.kind) ? problems : ['12 %', null]) {
      const { title, why, support, action } = describeAlert({ ...alert, problem });
      expect(title).toMatch(/^[A-Z].{8,}/);
      expect(action.label).toMatch(/^[A-Z]/);
      expect(action.to).toMatch(/^\/admin\?tab=[a-z-]+(&(alert|booking|room)=[^\s&]+)?$/);
      const texts = [title, ...why, support ?? '', action.label];
      expect(texts.join('\n')).not.toMatch(/http_\d|igloohome:|stripe:/);
      for (const text of why) expect(text).toMatch(/^[A-Z].*[^.]$/s);
    }
  },
);

test('an unknown answer of a provider still reads well, with its code apart', () => {
  expect(describeAlert({ ...FULL, problem: 'igloohome: http_418' })).toMatchObject({
    why: ['The lock service refused the request, and we do not know why', 'Tried 3 times. We’ll keep trying'],
    support: 'igloohome, http 418',
    action: { label: 'Try again', to: alertAddress(FULL) },
  });
});

test('the address of an alert on Today names it as the list there does', () => {
  expect(alertAddress(FULL)).toBe(`/admin?tab=today&alert=${encodeURIComponent(alertKey(FULL))}`);
  expect(ALERT_KINDS.map((kind) => alertKey({ ...FULL, kind, job: null }))).toContain('id_missing.b1');
});

test.each([
  [
    'access.request',
    'No door code for the 4 am session in Studio D',
    'There was no door code for the 4 am session in Studio D',
  ],
  [
    'access.request-crew',
    'No door code for a guest of the 4 am session in Studio D',
    'There was no door code for a guest of the 4 am session in Studio D',
  ],
  [
    'access.revoke',
    'A door code for the 4 am session in Studio D has not been removed',
    'A door code for the 4 am session in Studio D has not been removed',
  ],
  ['payment.partial-refund', 'A refund has not gone through', 'A refund has not gone through'],
  ['mail.access-code', 'Access code email: not sent yet', 'Access code email: not sent in time'],
  ['account-text.sms', 'Account text message: not sent yet', 'Account text message: not sent in time'],
  ['power.follow', 'Session lights: not done yet', 'Session lights: not done in time'],
  ['something.new', 'something.new: not done yet', 'something.new: not done in time'],
])('a job %s is called “%s” while it fails, and “%s” once it is too late', (kind, failing, late) => {
  const job = { id: 'j', kind, tries: 1 };
  expect(describeAlert({ ...FULL, job }).title).toBe(failing);
  expect(describeAlert({ ...FULL, job, kind: 'job_late' }).title).toBe(late);
});
