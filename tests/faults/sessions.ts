import type { Fault } from './fault.ts';

const AUTH = ['tests/auth/*.test.ts', 'server/auth/sessions/*.test.ts'];
const SIGNED_IN = [...AUTH, 'tests/realtime/session-ends.test.ts', 'tests/api/{auth-sessions,auth-admin}.test.ts'];
const FACTORS = [...AUTH, 'tests/api/{auth-factors,auth-guesses}.test.ts'];
const CODES = [...AUTH, 'tests/api/{auth,auth-attacks}.test.ts'];

export const SESSIONS: readonly Fault[] = [
  {
    title: 'Sessions without the second factor go on after the factor was added',
    file: 'server/auth/factors/verify-factor.ts',
    find: `return { response, ended: await endAllSessions(tx, caller.userId, 'aal1') };`,
    replace: 'return { response, ended: [] };',
    tests: FACTORS,
  },
  {
    title: 'A session that was not used for too long is refreshed as long as it is young',
    file: 'server/auth/sessions/rotations.ts',
    find: 'since(config.sessionSeconds), since(config.inactivitySeconds)]',
    replace: 'since(config.sessionSeconds), since(config.sessionSeconds)]',
    tests: SIGNED_IN,
  },
  {
    title: 'The session of an account that was deleted softly is alive',
    file: 'server/auth/sessions/is-session-alive.ts',
    find: 'u.deleted_at is null and ',
    replace: '',
    tests: SIGNED_IN,
  },
  {
    title: 'A code that waits in the queue is sent after another one of its kind was used',
    file: 'server/auth/codes/use-token.ts',
    find: 'await endMessages(tx, { id: null, email: row.email, phone: row.phone }, kinds);',
    replace: '',
    tests: CODES,
  },
  {
    title: 'Links and codes that were sent before stay valid after the password was changed',
    file: 'server/auth/user/apply-changes.ts',
    find: '  await revokeTokens(tx, user);\n',
    replace: '',
    tests: CODES,
  },
  {
    title: 'Guesses at a second factor are limited per session, so that a new session begins at none',
    file: 'server/auth/factors/verify-factor.ts',
    find: 'const key = `factor:${factor.id}`;',
    replace: 'const key = `session:${caller.sessionId}`;',
    tests: FACTORS,
  },
];
