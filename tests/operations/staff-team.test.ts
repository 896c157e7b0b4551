import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Permission } from '#rules/permissions.ts';
import type { Database } from '#server/db/database.ts';
import { sendSecondFactorDueJob, sendStaffInvitationJob } from '#server/operations/mails/staff-mails.ts';
import {
  acceptInvitation,
  invitationToken,
  inviteStaff,
  renewInvitation,
  revokeInvitation,
} from '#server/operations/staff/invitations.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { addPerson, embedded, HOUR, START } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { readEmail, readJobs } from './records.ts';

const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let owner: string;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  await db.query('delete from private.second_factor_rule');
  owner ??= await addPerson(db);
  await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin') on conflict do nothing`, [
    owner,
  ]);
  await db.query('delete from public.user_roles where user_id <> $1::uuid', [owner]);
});

const invite = (email: string, permissions: readonly Permission[] = ['bookings'], actor = owner) =>
  inviteStaff(cases.system.services, { email, permissions }, actor);
const accept = (token: string, userId: string) => acceptInvitation(cases.system.services, token, userId);
const createToken = (invitation: Awaited<ReturnType<typeof invite>>) =>
  invitationToken(cases.system.services, invitation);
const readPermissions = async (id: string): Promise<readonly string[]> =>
  (
    await db.query<{ permission: string }>(
      'select permission from public.staff_permissions where user_id = $1::uuid order by 1',
      [id],
    )
  ).rows.map(({ permission }) => permission);
const set = (userId: string, permissions: readonly Permission[], actor = owner) =>
  setPermissions(cases.system.services, { userId, permissions }, actor);
const notOwner = { code: 'not_yours', message: 'Only owners can do this.', details: { permission: 'owner' } };

describe('an invitation', () => {
  test('is valid for seven days, works once, and gives exactly its permissions', async () => {
    const person = await addPerson(db);
    cases.system.state.now = START + 900;
    const invitation = await invite(await readEmail(db, person), ['money', 'bookings']);
    expect(invitation.expiresAt).toEqual(new Date(START + WEEK));
    expect((await accept(createToken(invitation), person)).toSorted()).toEqual(['bookings', 'money']);
    expect(await readPermissions(person)).toEqual(['bookings', 'money']);
    const other = await addPerson(db);
    await set(person, []);
    await expect(accept(createToken(invitation), person)).rejects.toMatchObject({
      code: 'invitation_ended',
      message: 'This invitation has been used. Ask an owner for another one.',
    });
    const second = await invite(await readEmail(db, other));
    cases.system.state.now = START + WEEK;
    await expect(accept(createToken(second), other)).rejects.toMatchObject({
      code: 'invitation_ended',
      message: 'This invitation is no longer valid. Ask an owner for another one.',
    });
  });

  test('is mailed once; with other permissions it replaces the one before, and a renewed one has another link', async () => {
    const person = await addPerson(db);
    const email = await readEmail(db, person);
    const first = await invite(email);
    expect(await invite(email)).toEqual(first);
    expect(await readJobs<{ expiresAt: string }>(db, 'mail.staff-invitation')).toMatchObject([
      { subjectId: first.invitationId, payload: { expiresAt: first.expiresAt.toISOString() } },
    ]);
    const second = await invite(email, ['money']);
    expect(second.invitationId).not.toBe(first.invitationId);
    await expect(accept(createToken(first), person)).rejects.toMatchObject({
      code: 'invitation_ended',
      message: 'This invitation is no longer valid. Ask an owner for another one.',
    });
    cases.system.state.now += HOUR;
    const renewed = await renewInvitation(cases.system.services, second.invitationId, owner);
    expect(renewed).toEqual({ invitationId: second.invitationId, expiresAt: new Date(START + HOUR + WEEK) });
    await expect(accept(createToken(second), person)).rejects.toMatchObject({
      code: 'not_found',
      message: 'This link isn’t valid. Use the newest email, or ask an owner for another one.',
    });
    expect(await accept(createToken(renewed), person)).toEqual(['money']);
    await expect(renewInvitation(cases.system.services, second.invitationId, owner)).rejects.toMatchObject({
      code: 'already_done',
      message: 'This invitation was accepted or revoked.',
    });
  });

  test('ends when it is revoked', async () => {
    const person = await addPerson(db);
    const invitation = await invite(await readEmail(db, person));
    const revoke = (id = invitation.invitationId, actor = owner) => revokeInvitation(cases.system.services, id, actor);
    await expect(revoke(invitation.invitationId, person)).rejects.toMatchObject(notOwner);
    await revoke();
    await expect(accept(createToken(invitation), person)).rejects.toMatchObject({
      code: 'invitation_ended',
      message: 'This invitation is no longer valid. Ask an owner for another one.',
    });
    await revoke();
    await expect(renewInvitation(cases.system.services, invitation.invitationId, owner)).rejects.toMatchObject({
      code: 'already_done',
    });
    await expect(revoke(randomUUID())).rejects.toMatchObject({
      code: 'not_found',
      message: 'We couldn’t find this invitation.',
    });
  });

  test('is for the account of its address, confirmed and not yet staff', async () => {
    const [person, other] = [await addPerson(db), await addPerson(db)];
    const unconfirmed = await addPerson(db, { mailConfirmed: false });
    const token = createToken(await invite(await readEmail(db, person)));
    await expect(accept(token, other)).rejects.toMatchObject({
      code: 'not_yours',
      message: 'This invitation is for another email address. Sign in with the address we wrote to.',
    });
    await expect(
      accept(createToken(await invite(await readEmail(db, unconfirmed))), unconfirmed),
    ).rejects.toMatchObject({
      code: 'mail_unconfirmed',
      message: 'Please confirm your email address first.',
    });
    await set(person, ['money']);
    await expect(accept(token, person)).rejects.toMatchObject({
      code: 'already_done',
      message: 'You are already on the staff.',
    });
    await expect(invite(await readEmail(db, person))).rejects.toMatchObject({
      code: 'already_done',
      message: 'This person is already on the staff. You can change their permissions.',
    });
    await expect(invite('new@example.com', ['money'], person)).rejects.toMatchObject(notOwner);
    await expect(accept('forged', other)).rejects.toMatchObject({
      code: 'not_found',
      message: 'This link isn’t valid. Use the newest email, or ask an owner for another one.',
    });
  });

  test('has its link, permissions and inviter in the mail, and no mail once it is closed, over or renewed', async () => {
    await invite('kim@example.com', ['money', 'bookings']);
    const [job] = await readJobs<{ expiresAt: string }>(db, 'mail.staff-invitation');
    if (!job) throw new Error('no mail is queued');
    const send = () => sendStaffInvitationJob.handle(cases.system.services, job as never);
    expect(await send()).toBe('done');
    expect(cases.system.mails).toMatchObject([{ to: 'kim@example.com', key: `job-${job.id}` }]);
    const invitation = { invitationId: job.subjectId, expiresAt: new Date(START + WEEK) };
    expect(cases.system.mails[0]?.text).toContain(`https://studio.example/staff-invitation#${createToken(invitation)}`);
    expect(cases.system.mails[0]?.text).toMatch(/Alex Citizen invites you[^]*Bookings, Money[^]*Sat(urday)? 8 Mar/);
    cases.system.state.now += WEEK - 1;
    await send();
    expect(cases.system.mails).toHaveLength(2);
    cases.system.state.now += 1;
    expect(await send()).toBe('done');
    cases.system.state.now = START + HOUR;
    await renewInvitation(cases.system.services, job.subjectId, owner);
    expect(await send()).toBe('done');
    await revokeInvitation(cases.system.services, job.subjectId, owner);
    const [, renewed] = await readJobs<{ expiresAt: string }>(db, 'mail.staff-invitation');
    expect(await sendStaffInvitationJob.handle(cases.system.services, renewed as never)).toBe('done');
    expect(cases.system.mails).toHaveLength(2);
  });
});

describe('permissions', () => {
  test('are exactly those that an owner sets, and without any an account is no longer staff', async () => {
    const person = await addPerson(db);
    await set(person, ['bookings', 'money']);
    await set(person, ['identity']);
    expect(await readPermissions(person)).toEqual(['identity']);
    await expect(set(owner, [], person)).rejects.toMatchObject(notOwner);
    await set(person, []);
    expect(await readPermissions(person)).toEqual([]);
    expect(await db.queryRow('select role from public.user_roles where user_id = $1::uuid', [person])).toEqual({
      role: 'user',
    });
  });

  test('are refused for an unknown account, one whose address is not confirmed, and the last owner', async () => {
    await expect(set(randomUUID(), ['money'])).rejects.toMatchObject({
      code: 'not_found',
      message: 'This account doesn’t exist.',
    });
    const unconfirmed = await addPerson(db, { mailConfirmed: false });
    await expect(set(unconfirmed, ['money'])).rejects.toMatchObject({
      code: 'mail_unconfirmed',
      message: 'This account has not confirmed its email address yet.',
    });
    await expect(set(owner, ['money'])).rejects.toMatchObject({
      code: 'last_owner',
      message: 'This is the only owner. Make someone else an owner first.',
    });
    expect(await readPermissions(owner)).toContain('owner');
  });
});

describe('rules about the second factor', () => {
  /** Adds a second factor to an account. Returns a session that has used it, and one that has not. */
  async function addFactor(userId: string): Promise<{ shown: string; plain: string }> {
    await db.query(
      `insert into auth.mfa_factors (user_id, factor_type, status, secret, created_at, updated_at)
       values ($1::uuid, 'totp', 'verified', 'x', now(), now())`,
      [userId],
    );
    const open = async (level: string) =>
      (
        await db.queryRow<{ id: string }>(
          `insert into auth.sessions (user_id, aal, method, created_at, refreshed_at) values ($1::uuid, $2, 'password', now(), now()) returning id`,
          [userId, level],
        )
      )?.id ?? '';
    return { shown: await open('aal2'), plain: await open('aal1') };
  }
  const setRules = (permissions: readonly Permission[], graceDays: number, actor: string, sessionId: string | null) =>
    setSecondFactorRules(cases.system.services, { permissions, graceDays }, { actor, sessionId });

  test('are set by an owner who has shown one, and mailed to all staff whom they concern', async () => {
    await expect(setRules(['money'], 7, owner, null)).rejects.toMatchObject({
      code: 'second_factor_required',
      message: 'Add an authenticator app in your account settings first. Otherwise you would lock yourself out.',
    });
    const { shown, plain } = await addFactor(owner);
    await expect(setRules(['money'], 7, owner, plain)).rejects.toMatchObject({
      code: 'second_factor_required',
      message: 'Sign in with your second step first.',
    });
    const [money, bookings, boss] = [await addPerson(db), await addPerson(db), await addPerson(db)];
    await expect(setRules(['money'], 7, money, null)).rejects.toMatchObject(notOwner);
    await set(money, ['money']);
    await set(bookings, ['bookings']);
    await set(boss, ['owner']);
    await setRules(['money'], 7, owner, shown);
    const mails = async () =>
      (await readJobs<{ expiresAt: string }>(db, 'mail.second-factor')).map(({ subjectId, due }) => [
        subjectId,
        +due - START,
      ]);
    const both = [money, boss].toSorted();
    expect(await mails()).toEqual([...both.map((id) => [id, 0]), ...both.map((id) => [id, 6 * DAY])]);
    // An unchanged rule is not mailed again; with a grace period of a day or less, only one mail is sent.
    await db.query('delete from private.outbox');
    await setRules(['money', 'bookings'], 1, owner, shown);
    expect(await mails()).toEqual([bookings, boss].toSorted().map((id) => [id, 0]));
    await db.query('delete from private.outbox');
    await setRules([], 7, owner, shown);
    expect(await mails()).toEqual([]);
  });

  test('are mailed with the day, or that it is needed now, and not to staff who have one or whom no rule concerns', async () => {
    const person = await addPerson(db);
    await set(person, ['money']);
    const send = () =>
      sendSecondFactorDueJob.handle(cases.system.services, { id: randomUUID(), subjectId: person } as never);
    const rule = (from: string) =>
      db.query(
        `insert into private.second_factor_rule (permission, required_from) values ('money', now() + $1::interval)
         on conflict (permission) do update set required_from = excluded.required_from`,
        [from],
      );
    expect(await send()).toBe('done');
    expect(cases.system.mails).toEqual([]);
    await rule('3 days');
    expect(await send()).toBe('done');
    expect(cases.system.mails[0]).toMatchObject({
      to: await readEmail(db, person),
      text: expect.stringMatching(/Add it by /),
    });
    await rule('-1 day');
    expect(await send()).toBe('done');
    expect(cases.system.mails[1]?.text).toMatch(/Until you add it, you see only what customers see/);
    await addFactor(person);
    expect(await send()).toBe('done');
    expect(cases.system.mails).toHaveLength(2);
  });
});
