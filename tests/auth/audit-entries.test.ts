import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { type AuthApp, NEW_PASSWORD, openAuthApp, PASSWORD, SITE, textIn } from './auth-app.ts';

/** The audit log entries for each action of an account, in order. */
let app: AuthApp;
beforeAll(async () => {
  app = await openAuthApp();
});
afterAll(() => app.close());

const PHONE = '+61491570156';
const VOLATILE = /^(id|.*_id|actor_.*|at|ip|session.*|traits|log_type|action)$/;

/** Returns the entries since the last call: the action, and the details that do not change between runs. */
async function newEntries(): Promise<readonly string[]> {
  const { rows } = await app.db.query<{ payload: Record<string, unknown> }>(
    'select payload from auth.audit_log_entries order by created_at, id offset $1',
    [seen],
  );
  seen += rows.length;
  return rows.map(({ payload }) => {
    const details = Object.entries(payload).filter(([name]) => !VOLATILE.test(name));
    return `${String(payload['action'])}${details.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(details))}`}`;
  });
}
let seen = 0;

test('a person signs up, changes everything and leaves: each step is in the log of the account, in order, with what it was about', async () => {
  const email = 'audit@example.com';
  const log: Record<string, unknown> = {};
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const done = await work();
    log[name] = await newEntries();
    return done;
  };
  await step('signs up', () => app.request('POST', '/signup', { email, password: PASSWORD }));
  const { code } = await app.mailTo(email);
  const confirmed = await step('confirms', () =>
    app.request('POST', '/verify', { email, type: 'signup', token: code }),
  );
  expect(confirmed.body).toMatchObject({ user: { email } });
  await step('types a wrong password', () =>
    app.request('POST', '/token?grant_type=password', { email, password: 'wrong one' }),
  );
  const person = await step('signs in', () => app.signIn(email));
  const as = (method: string, path: string, body?: unknown) => app.request(method, path, body, { token: person.token });

  await step('signs up again', () => app.request('POST', '/signup', { email, password: PASSWORD }));
  await step('changes the name', () => as('PUT', '/user', { data: { full_name: 'Ada' } }));
  await step('changes the password', () => as('PUT', '/user', { password: NEW_PASSWORD }));
  await step('asks for a new phone', () => as('PUT', '/user', { phone: PHONE }));
  const token = await app.textTo(PHONE);
  await step('confirms the phone', () => app.request('POST', '/verify', { phone: PHONE, type: 'phone_change', token }));
  await step('asks for a new address', () => as('PUT', '/user', { email: 'new-audit@example.com' }));
  await step('asks for a code to prove who it is', () => as('GET', '/reauthenticate'));
  await step('forgets the password', () => app.request('POST', '/recover', { email }));
  await step('asks for a link', () => app.request('POST', '/otp', { email }));
  await step('types a wrong code', () => app.request('POST', '/verify', { email, type: 'email', token: '000000' }));

  const key = createAuthenticator(SITE);
  const begun = await as('POST', '/passkeys/registration/options', {});
  const created = await step('adds a passkey', () =>
    as('POST', '/passkeys/registration/verify', {
      challenge_id: begun.body['challenge_id'],
      credential: key.create(Object(begun.body['options'])),
    }),
  );
  const passkey = `/passkeys/${textIn(created.body, 'id')}`;
  await step('renames it', () => as('PATCH', passkey, { friendly_name: 'Phone' }));
  await step('removes it', () => as('DELETE', passkey));
  const factor = await step('begins to add a factor', () =>
    as('POST', '/factors', { factor_type: 'totp', friendly_name: 'an app' }),
  );
  await step('asks for its challenge', () => as('POST', `/factors/${textIn(factor.body, 'id')}/challenge`, {}));
  await step('removes the factor', () => as('DELETE', `/factors/${textIn(factor.body, 'id')}`));
  await step('signs out', () => as('POST', '/logout'));
  await step('is anonymous', () => app.request('POST', '/signup', {}));
  expect(log).toEqual({
    'signs up': ['user_signedup'],
    confirms: ['user_confirmed {"kind":"signup"}', 'login {"method":"otp"}'],
    'types a wrong password': ['login_failed'],
    'signs in': ['login {"method":"password"}'],
    'signs up again': ['user_repeated_signup'],
    'changes the name': ['user_modified'],
    'changes the password': ['user_updated_password', 'logout {"scope":"others"}'],
    'asks for a new phone': ['user_phone_change_requested'],
    'confirms the phone': ['user_phone_changed', 'login {"method":"otp"}'],
    'asks for a new address': ['user_email_change_requested'],
    'asks for a code to prove who it is': ['user_reauthenticate_requested'],
    'forgets the password': ['user_recovery_requested'],
    'asks for a link': ['user_otp_requested'],
    'types a wrong code': ['otp_failed {"kinds":["signup","magiclink"]}'],
    'adds a passkey': ['passkey_created'],
    'renames it': ['passkey_updated'],
    'removes it': ['passkey_deleted'],
    'begins to add a factor': ['factor_in_progress {"factor_type":"totp"}'],
    'asks for its challenge': ['challenge_created {"factor_status":"unverified"}'],
    'removes the factor': ['factor_unenrolled {"factor_status":"unverified"}'],
    'signs out': ['logout {"scope":"global"}'],
    'is anonymous': ['user_signedup {"kind":"anonymous"}', 'login {"method":"anonymous"}'],
  });
});

test('what the service key does to an account is in its log too, with who did it and which fields changed', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    app.request(method, path, body, { token: app.keys.serviceRoleKey });
  const email = 'audit-service@example.com';
  await newEntries();
  const { body } = await call('POST', '/admin/users', { email, email_confirm: true, password: PASSWORD });
  const id = textIn(body, 'id');
  expect(await newEntries()).toEqual(['user_signedup {"by":"service"}']);
  const { token } = await app.signIn(email);
  const factor = await app.request('POST', '/factors', { factor_type: 'totp', friendly_name: 'an app' }, { token });
  const begun = await app.request('POST', '/passkeys/registration/options', {}, { token });
  const credential = createAuthenticator(SITE).create(Object(begun.body['options']));
  const answer = { challenge_id: begun.body['challenge_id'], credential };
  const passkey = await app.request('POST', '/passkeys/registration/verify', answer, { token });
  await newEntries();
  await call('PUT', `/admin/users/${id}`, { user_metadata: { a: 1 }, ban_duration: 'none' });
  await call('DELETE', `/admin/users/${id}/factors/${textIn(factor.body, 'id')}`);
  await call('DELETE', `/admin/users/${id}/passkeys/${textIn(passkey.body, 'id')}`);
  await call('POST', '/admin/generate_link', { type: 'recovery', email });
  await call('POST', '/invite', { email: 'audit-invited@example.com' });
  expect(await newEntries()).toEqual([
    'user_modified {"by":"service","fields":["user_metadata","ban_duration"]}',
    'factor_deleted',
    'passkey_deleted',
    'generate_link_requested {"kind":"recovery"}',
    'user_invited',
  ]);
  await call('DELETE', `/admin/users/${id}`);
  expect(await newEntries()).toEqual(['user_deleted {"by":"service","softly":false}']);
});
