import { expect, test } from 'vitest';
import { type Alert, ALERT_KINDS, describeAlert } from '#rules/alerts/alerts.ts';
import { firstBusiness } from '#rules/business/first-settings.ts';
import { alertMail } from './alert.ts';

const SITE = 'https://studios.example';
const ALERT: Alert = {
  kind: 'job_failing',
  since: new Date('2031-03-02T14:00:00Z'),
  due: null,
  job: { id: 'j1', kind: 'access.request', tries: 3 },
  problem: 'igloohome: http_404',
  booking: { id: 'b1', reference: 'HC-ABC234', studioName: 'Studio D', start: new Date('2031-03-02T17:00:00Z') },
  studioId: 's1',
  studioName: 'Studio D',
  customer: null,
};

test('a missing door code is mailed in words for people, with a button to the form of the room', () => {
  const { subject, text, html } = alertMail(firstBusiness, [ALERT], SITE);
  expect(subject).toBe('Needs attention: No door code for the 4 am session in Studio D');
  expect(text).toContain('The lock service does not know this lock.');
  expect(text).toContain(`${SITE}/admin?tab=rooms&room=s1`);
  expect(html).toContain('>Fix lock</a>');
  expect(`${subject}${text}`).not.toMatch(/http_\d|igloohome/);
});

test.each(ALERT_KINDS)(
  'the mail of an alert %s has its title, its action and a link to the place in /admin',
  (kind) => {
    const isOfJob = ['refund_failed', 'mail_bounced', 'job_failing', 'job_late'].includes(kind);
    const alert = { ...ALERT, kind, ...(isOfJob ? {} : { job: null, problem: '12 %' }) };
    const { title, action } = describeAlert(alert);
    const { html, text } = alertMail(firstBusiness, [alert], SITE);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(title);
    expect(text).toContain(`${SITE}${action.to}`);
    expect(html).toContain(`href="${`${SITE}${action.to}`.replaceAll('&', '&amp;')}"`);
    expect(html).toContain(`>${action.label}</a>`);
    expect(text).not.toMatch(/http_\d|igloohome:|stripe:/);
  },
);

test('a mail about many alerts lists twenty, says how many more there are, and leads to Today', () => {
  const { subject, text } = alertMail(
    firstBusiness,
    Array.from({ length: 23 }, () => ALERT),
    SITE,
  );
  expect(subject).toBe('Needs attention: 23 alerts');
  expect(text.match(/Job:/g)).toHaveLength(20);
  expect(text).toContain('And 3 more.');
  expect(text).toContain(`${SITE}/admin?tab=today`);
});
