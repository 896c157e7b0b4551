import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TokenRefused } from './caller.ts';
import { type Keys, temporaryKeys } from '#server/crypto/keys.ts';
import { createReadCaller, createSessionWatch } from './token.ts';

const NOW = new Date('2026-05-01T00:00:00Z');

function createWatch(alive: Set<string>): { queries: () => number; watch: ReturnType<typeof createSessionWatch> } {
  let queries = 0;
  const watch = createSessionWatch((id) => {
    queries += 1;
    return Promise.resolve(alive.has(id));
  });
  return { queries: () => queries, watch };
}

describe('the session watch', () => {
  test('queries once for many requests, and again after half a second', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    const { queries, watch } = createWatch(new Set(['a']));
    for (let n = 0; n < 50; n += 1) expect(await watch.alive('a')).toBe(true);
    now.mockReturnValue(1_499);
    await watch.alive('a');
    expect(queries()).toBe(1);
    now.mockReturnValue(1_500);
    expect(await watch.alive('a')).toBe(true);
    expect(queries()).toBe(2);
  });

  test('drops a session that ended in this process at once', async () => {
    const alive = new Set(['a']);
    const { watch } = createWatch(alive);
    expect(await watch.alive('a')).toBe(true);
    alive.delete('a');
    watch.forget(['a']);
    expect(await watch.alive('a')).toBe(false);
  });

  test('does not cache a query that was running when the session ended', async () => {
    const answers: ((alive: boolean) => void)[] = [];
    const watch = createSessionWatch(() => new Promise((resolve) => answers.push(resolve)));
    const early = watch.alive('a');
    watch.forget(['a']);
    answers[0]?.(true);
    await early;
    const late = watch.alive('a');
    answers[1]?.(false);
    expect(await late).toBe(false);
  });

  test('keeps its cache within bounds', async () => {
    const { watch } = createWatch(new Set());
    for (let n = 0; n < 12_000; n += 1) await watch.alive(String(n));
    expect(await watch.alive('11999')).toBe(false);
  });
});

describe('reading the caller', () => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await temporaryKeys();
  });
  const alive = new Set(['session-1']);
  const read = (headers: Record<string, string>, keyRequired = false): Promise<unknown> =>
    createReadCaller({ keys, sessions: createWatch(alive).watch, clock: () => NOW, keyRequired })(
      new Request('http://localhost/rest/v1/x', { headers }),
      '203.0.113.7',
    );
  const USER = 'a5000000-0000-4000-8000-000000000001';
  const person = { sub: USER, aud: 'authenticated', role: 'authenticated', session_id: 'session-1' };

  test('the anonymous key is the guest, as bearer, as apikey or as both [spec 1.8, 7.1]', async () => {
    for (const headers of [
      { apikey: keys.anonKey },
      { authorization: `Bearer ${keys.anonKey}` },
      { apikey: keys.anonKey, authorization: `Bearer ${keys.anonKey}` },
    ])
      expect(await read(headers)).toMatchObject({ role: 'anon', userId: null, ip: '203.0.113.7' });
  });

  test('the bearer overrides the apikey [spec 1.8]', async () => {
    const token = keys.sign(person, 60, NOW);
    expect(await read({ apikey: keys.anonKey, authorization: `Bearer ${token}` })).toMatchObject({
      role: 'authenticated',
      userId: USER,
      sessionId: 'session-1',
    });
    expect(await read({ apikey: keys.serviceRoleKey, authorization: `Bearer ${keys.anonKey}` })).toMatchObject({
      role: 'anon',
    });
    expect(await read({ authorization: `bearer ${keys.serviceRoleKey}` })).toMatchObject({ role: 'service_role' });
  });

  test('a request without a key is the guest; where a key is required it is refused [spec 7.1]', async () => {
    for (const headers of [{}, { authorization: 'Basic abc' }, { apikey: '' }])
      expect(await read(headers)).toMatchObject({ role: 'anon', userId: null, claimsJson: '{"role":"anon"}' });
    await expect(read({}, true)).rejects.toMatchObject({ code: 'no_api_key' });
  });

  test('an invalid token, a changed signature, an expired token and an ended session are refused with the messages of GoTrue [spec 7.1]', async () => {
    const gone = keys.sign({ ...person, session_id: 'session-2' }, 60, NOW);
    const good = keys.sign(person, 60, NOW);
    const old = keys.sign(person, 60, new Date(NOW.getTime() - 3_600_000));
    const unread = 'invalid JWT: unable to parse or verify signature, ';
    for (const [headers, code, message] of [
      [
        { authorization: 'Bearer rubbish', apikey: keys.anonKey },
        'bad_jwt',
        `${unread}token is malformed: token contains an invalid number of segments`,
      ],
      [{ authorization: 'Bearer a.!.c' }, 'bad_jwt', `${unread}token is malformed: could not JSON decode claim`],
      [
        { authorization: `Bearer ${good.slice(0, -6)}AAAAAA` },
        'bad_jwt',
        `${unread}token signature is invalid: signature is invalid`,
      ],
      [{ authorization: `Bearer ${old}` }, 'bad_jwt', `${unread}token has invalid claims: token is expired`],
      [{ authorization: `Bearer ${gone}` }, 'session_not_found', 'Session from session_id claim in JWT does not exist'],
    ] as const) {
      const refused = await read({ ...headers }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TokenRefused);
      expect(refused).toMatchObject({ code, message });
    }
  });

  test('a token may name any role; a session it names must be alive, and it may name none', async () => {
    for (const role of ['service_role', 'reporter', 'authenticated']) {
      const bare = keys.sign({ ...person, role, session_id: undefined }, 60, NOW);
      const userId = role === 'service_role' ? null : USER;
      expect(await read({ authorization: `Bearer ${bare}` })).toMatchObject({ role, userId, sessionId: null });
      const gone = keys.sign({ ...person, role, session_id: 'session-2' }, 60, NOW);
      await expect(read({ authorization: `Bearer ${gone}` })).rejects.toMatchObject({ code: 'session_not_found' });
    }
    const noRole = keys.sign({ ...person, role: undefined }, 60, NOW);
    expect(await read({ authorization: `Bearer ${noRole}` })).toMatchObject({ role: 'anon', userId: null });
    const odd = keys.sign({ ...person, sub: 'no uuid', session_id: undefined }, 60, NOW);
    expect(await read({ authorization: `Bearer ${odd}` })).toMatchObject({ role: 'authenticated', userId: null });
    for (const role of [1, '', {}]) {
      const wrong = keys.sign({ ...person, role }, 60, NOW);
      await expect(read({ authorization: `Bearer ${wrong}` })).rejects.toMatchObject({ code: 'bad_jwt' });
    }
  });
});
