import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UNDER_AGE } from '#rules/identity.ts';
import type { Database } from '#server/db/database.ts';
import { leaveMailingList, startCampaign, stopCampaign, testCampaign } from '#server/operations/mails/campaigns.ts';
import { sendIdDecisionJob, sendReviewWaitingJob } from '#server/operations/mails/identity-mails.ts';
import { sendCampaignMailJob, sendCampaignTestJob } from '#server/operations/mails/send-campaign-mail.ts';
import { sendCustomerMessageJob } from '#server/operations/mails/send-customer-message.ts';
import { ADDRESS_REFUSED, ProviderError } from '#server/providers/call.ts';
import { addPerson, embedded, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { readEmail, readJobs } from './records.ts';

const refusedAddress = new ProviderError('mail', `550${ADDRESS_REFUSED}`, { retryable: false });
const unreachable = new ProviderError('mail', 'no_response', { retryable: true });

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let person: string;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  person = await addPerson(db);
  for (const table of ['private.campaign_recipient', 'private.campaign', 'public.mailing_list'])
    await db.query(`delete from ${table}`);
});

const job = (subjectId: string, payload: unknown = null) =>
  ({ id: randomUUID(), subjectId, payload, tries: 1 }) as never;

describe('a campaign', () => {
  const campaignId = randomUUID();
  const start = (more: object = {}) =>
    startCampaign(
      cases.system.services,
      { campaignId, subject: 'News', body: 'Two new rooms.', perMinute: 60, ...more },
      person,
    );
  const subscribe = async (email: string): Promise<string> =>
    (await db.queryRow<{ id: string }>('insert into public.mailing_list (email) values ($1) returning id', [email]))
      ?.id ?? '';
  const send = (subscription: string) =>
    sendCampaignMailJob.handle(cases.system.services, job(campaignId, { subscription }));
  const counts = () =>
    db.queryRow('select recipients, sent, bounced, skipped, finished_at is not null as finished from private.campaign');

  test('goes to everybody on the list at its pace, once, and another one waits until it has ended', async () => {
    await expect(start()).rejects.toMatchObject({ code: 'invalid_request', message: 'The mailing list is empty.' });
    const ids = [await subscribe('a@example.com'), await subscribe('b@example.com')];
    await leaveMailingList(cases.system.services, await subscribe('c@example.com'));
    expect(await start()).toBe(2);
    expect(await start()).toBe(2);
    const jobs = await readJobs(db, 'mail.campaign');
    expect(jobs.map(({ due }) => +due - START)).toEqual([0, 1_000]);
    expect(jobs.map(({ payload }) => payload)).toEqual(ids.toSorted().map((subscription) => ({ subscription })));
    await expect(start({ subject: 'Other' })).rejects.toMatchObject({
      code: 'already_done',
      message: 'This email was already sent with a different text. Write a new one.',
    });
    await expect(start({ campaignId: randomUUID() })).rejects.toMatchObject({
      code: 'already_done',
      message: 'Another email is being sent. Wait until it has finished, or stop it.',
    });
    for (const id of ids) expect(await send(id)).toBe('done');
    expect(await send(ids[0] ?? '')).toBe('done');
    expect(await counts()).toEqual({ recipients: 2, sent: 2, bounced: 0, skipped: 0, finished: true });
    expect(cases.system.mails).toMatchObject([
      {
        to: 'a@example.com',
        subject: 'News',
        text: expect.stringContaining(`https://studio.example/unsubscribe?id=${ids[0]}`),
        unsubscribeUrl: `https://studio.example/functions/v1/unsubscribe?id=${ids[0]}`,
        key: expect.stringMatching(/^job-/),
      },
      { to: 'b@example.com' },
    ]);
  });

  test('skips who left, marks an address that is refused, and keeps the mail of a server that does not answer', async () => {
    const [gone, wrong, slow] = [
      await subscribe('a@example.com'),
      await subscribe('b@example.com'),
      await subscribe('c@example.com'),
    ];
    await start();
    await leaveMailingList(cases.system.services, gone);
    expect(await send(gone)).toBe('done');
    cases.system.state.mailFails = refusedAddress;
    expect(await send(wrong)).toBe('done');
    const bounced = 'select bounced_at as at, bounce_reason as reason from public.mailing_list where id = $1::uuid';
    expect(await db.queryRow(bounced, [wrong])).toEqual({ at: new Date(START), reason: refusedAddress.reason });
    cases.system.state.mailFails = unreachable;
    await expect(send(slow)).rejects.toBe(unreachable);
    expect(await counts()).toEqual({ recipients: 3, sent: 0, bounced: 1, skipped: 1, finished: false });
    expect(await db.queryRow(bounced, [slow])).toEqual({ at: null, reason: null });
  });

  test('waits for its pace, and stops', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await subscribe(`${name}@example.com`));
    await start({ perMinute: 1 });
    expect(await send(ids[0] ?? '')).toBe('done');
    expect(await send(ids[1] ?? '')).toEqual({ retryAt: new Date(START + 4 * 60_000) });
    await stopCampaign(cases.system.services, campaignId, person);
    expect(await readJobs(db, 'mail.campaign')).toEqual([]);
    expect(await send(ids[1] ?? '')).toBe('done');
    await stopCampaign(cases.system.services, campaignId, person);
    await expect(stopCampaign(cases.system.services, randomUUID(), person)).rejects.toMatchObject({
      code: 'not_found',
      message: 'This email doesn’t exist.',
    });
    expect(cases.system.mails).toHaveLength(1);
  });

  test('is tried by a mail to its author', async () => {
    const letter = { subject: 'News', body: 'Two new rooms.' };
    await expect(testCampaign(cases.system.services, letter, null)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The service key has no address.',
    });
    await testCampaign(cases.system.services, letter, person);
    await testCampaign(cases.system.services, letter, person);
    const jobs = await readJobs(db, 'mail.campaign-test');
    expect(jobs).toMatchObject([
      { subjectId: person, payload: letter, due: new Date(START) },
      { subjectId: person, payload: letter },
    ]);
    expect(await sendCampaignTestJob.handle(cases.system.services, jobs[0] as never)).toBe('done');
    expect(cases.system.mails).toMatchObject([
      {
        to: await readEmail(db, person),
        subject: 'Test: News',
        text: expect.stringContaining('https://studio.example/unsubscribe'),
        key: `job-${jobs[0]?.id}`,
      },
    ]);
    await db.query('update auth.users set deleted_at = now() where id = $1::uuid', [person]);
    expect(await sendCampaignTestJob.handle(cases.system.services, jobs[1] as never)).toBe('done');
    expect(cases.system.mails).toHaveLength(1);
  });
});

test('a message of staff goes to the customer, who answers to the business, and is closed for a refused address', async () => {
  const id = randomUUID();
  await db.query(
    `insert into private.customer_message (id, user_id, subject, body, made_by, created_at)
     values ($1::uuid, $2::uuid, 'Your headphones', 'We found them.', $2::uuid, $3::timestamptz)`,
    [id, person, new Date(START)],
  );
  const send = () => sendCustomerMessageJob.handle(cases.system.services, job(id));
  expect(await send()).toBe('done');
  expect(cases.system.mails).toMatchObject([
    {
      to: await readEmail(db, person),
      subject: 'Your headphones',
      text: expect.stringContaining('We found them.'),
      replyTo: cases.system.services.business().email,
      key: expect.stringMatching(/^job-/),
    },
  ]);
  cases.system.state.mailFails = refusedAddress;
  expect(await send()).toEqual({ closed: 'The mail server refused the address.' });
  cases.system.state.mailFails = unreachable;
  await expect(send()).rejects.toBe(unreachable);
  cases.system.state.mailFails = false;
  await db.query('update auth.users set deleted_at = now() where id = $1::uuid', [person]);
  const before = cases.system.mails.length;
  expect(await send()).toBe('done');
  expect(cases.system.mails).toHaveLength(before);
});

describe('the mail about a decision', () => {
  async function decide(
    decision: string,
    status: string,
    more: { reasons?: string[]; born?: string; expires?: string } = {},
  ) {
    const row = await db.queryRow<{ id: string }>(
      `insert into public.id_verifications (user_id, source, verification_status, failure_reasons, extracted_dob, verified_at, expires_at)
       values ($1::uuid, 'staff', $2, $3::text[], $4::date, case when $5::timestamptz is null then null else $6::timestamptz end, $5::timestamptz) returning id`,
      [person, status, more.reasons ?? [], more.born ?? null, more.expires ?? null, new Date(START)],
    );
    await db.query(
      `insert into private.id_review (verification_id, decision, reason, decided_by, decided_at) values ($1::uuid, $2, 'x', $3::uuid, now())`,
      [row?.id, decision, person],
    );
    expect(await sendIdDecisionJob.handle(cases.system.services, job(row?.id ?? ''))).toBe('done');
    return cases.system.mails.at(-1);
  }

  test('says that an ID is approved, to be photographed again, or refused, by first name', async () => {
    const approved = await decide('approve', 'verified', { expires: '2032-03-01T00:00:00Z' });
    expect(approved?.to).toBe(await readEmail(db, person));
    expect(approved?.text).toContain('https://studio.example/booking');
    expect(approved?.text).toContain('2032');
    const retake = await decide('retake', 'failed', { reasons: ['photo_unreadable'] });
    const refused = await decide('refuse', 'failed', { reasons: ['photo_unreadable'] });
    for (const mail of [retake, refused]) expect(mail?.text).toContain('https://studio.example/profile');
    expect(new Set([approved, retake, refused].map((mail) => mail?.subject)).size).toBe(3);
    for (const mail of [approved, retake, refused]) {
      expect(mail?.text).toMatch(/\bAlex\b/);
      expect(mail?.text).not.toContain('Citizen');
    }
  });

  test('says from when a minor can come, and is not sent for an ID that no longer counts', async () => {
    const minor = await decide('refuse', 'failed', { reasons: [UNDER_AGE], born: '2015-04-03' });
    expect(minor?.text).toMatch(/3 Apr(il)? 2033/);
    const older = await decide('refuse', 'failed', { reasons: ['photo_unreadable'], born: '2015-04-03' });
    expect(older?.text).not.toContain('2033');
    const before = cases.system.mails.length;
    await decide('refuse', 'superseded');
    expect(cases.system.mails).toHaveLength(before);
  });
});

test('staff who decide are told how many IDs wait and of the next session, and others are not', async () => {
  const [staff, other] = [await addPerson(db), await addPerson(db)];
  await db.query('delete from public.id_verifications');
  await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
  const send = async (to = staff) => {
    expect(await sendReviewWaitingJob.handle(cases.system.services, job(to))).toBe('done');
    return cases.system.mails.at(-1);
  };
  expect(await send()).toBeUndefined();
  const wait = (userId: string, hours: number) =>
    db.query(
      `insert into public.id_verifications (user_id, source, verification_status, created_at) values ($1::uuid, 'photo', 'review', $2::timestamptz)`,
      [userId, new Date(START - hours * HOUR)],
    );
  await wait(person, 48);
  expect(await send(person)).toBeUndefined();
  const first = await send();
  expect(first).toMatchObject({
    to: await readEmail(db, staff),
    subject: expect.stringContaining('An ID is pending review'),
    text: expect.stringMatching(/Decide by: Thursday 6 March 2031[^]*https:\/\/studio\.example\/admin\?tab=id-review/),
    key: expect.stringMatching(/^job-/),
  });
  expect(first?.text).not.toContain('session');
  await wait(other, 24);
  for (const days of [8, 9])
    await db.query(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values (private.new_reference(), $1::uuid, $2::uuid, 'Studio', $3::timestamptz, $3::timestamptz + interval '2 hours', $3::timestamptz, 2, 0, 0)`,
      [other, STUDIO, new Date(START + days * 24 * HOUR)],
    );
  const second = await send();
  expect(second?.subject).toContain('2 IDs are pending review');
  expect(second?.text).toMatch(/Sunday 9 March 2031, 11 am to 1 pm/);
  expect(second?.text).toContain('Thursday 6 March 2031');
});
