import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { TokenRefused } from './caller.ts';
import { type Keys, temporaryKeys } from './keys.ts';
import { createReadCaller, createSessionWatch } from './token.ts';

const NOW = new Date('2026-05-01T00:00:00Z');

function watched(living: Set<string>): { asked: () => number; watch: ReturnType<typeof createSessionWatch> } {
  let asked = 0;
  const watch = createSessionWatch((id) => {
    asked += 1;
    return Promise.resolve(living.has(id));
  });
  return { asked: () => asked, watch };
}

describe('the session watch', () => {
  test('asks once for many requests in a moment, and again after half a second', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    const { asked, watch } = watched(new Set(['a']));
    for (let n = 0; n < 50; n += 1) expect(await watch.alive('a')).toBe(true);
    now.mockReturnValue(1_499);
    await watch.alive('a');
    expect(asked()).toBe(1);
    now.mockReturnValue(1_500);
    expect(await watch.alive('a')).toBe(true);
    expect(asked()).toBe(2);
  });

  test('forgets a session that ended here at once', async () => {
    const living = new Set(['a']);
    const { watch } = watched(living);
    expect(await watch.alive('a')).toBe(true);
    living.delete('a');
    watch.forget(['a']);
    expect(await watch.alive('a')).toBe(false);
  });

  test('an answer that was under way when the session ended is not remembered', async () => {
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

  test('keeps what it knows within bounds', async () => {
    const { watch } = watched(new Set());
    for (let n = 0; n < 12_000; n += 1) await watch.alive(String(n));
    expect(await watch.alive('11999')).toBe(false);
  });
});

describe('who calls', () => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await temporaryKeys();
  });
  const living = new Set(['session-1']);
  const read = (headers: Record<string, string>): Promise<unknown> =>
    createReadCaller({ keys, sessions: watched(living).watch, clock: () => NOW })(
      new Request('http://localhost/rest/v1/x', { headers }),
      '203.0.113.7',
    );
  const person = { sub: 'user-1', aud: 'authenticated', role: 'authenticated', session_id: 'session-1' };

  test('the anonymous key is the guest, as bearer, as apikey, or as both', async () => {
    for (const headers of [
      { apikey: keys.anonKey },
      { authorization: `Bearer ${keys.anonKey}` },
      { apikey: keys.anonKey, authorization: `Bearer ${keys.anonKey}` },
    ])
      expect(await read(headers)).toMatchObject({ role: 'anon', userId: null, ip: '203.0.113.7' });
  });

  test('the bearer decides, not the apikey beside it', async () => {
    const token = keys.sign(person, 60, NOW);
    expect(await read({ apikey: keys.anonKey, authorization: `Bearer ${token}` })).toMatchObject({
      role: 'authenticated',
      userId: 'user-1',
      sessionId: 'session-1',
    });
    expect(await read({ apikey: keys.serviceRoleKey, authorization: `Bearer ${keys.anonKey}` })).toMatchObject({
      role: 'anon',
    });
    expect(await read({ authorization: `bearer ${keys.serviceRoleKey}` })).toMatchObject({ role: 'service_role' });
  });

  test('no key, rubbish, and a session that ended are refused with their codes', async () => {
    const gone = keys.sign({ ...person, session_id: 'session-2' }, 60, NOW);
    const bare = keys.sign({ ...person, session_id: undefined }, 60, NOW);
    for (const [headers, code] of [
      [{}, 'no_api_key'],
      [{ authorization: 'Bearer rubbish', apikey: keys.anonKey }, 'bad_jwt'],
      [{ authorization: `Bearer ${bare}` }, 'bad_jwt'],
      [{ authorization: `Bearer ${gone}` }, 'session_not_found'],
    ] as const) {
      const refused = await read({ ...headers }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TokenRefused);
      expect(refused).toMatchObject({ code });
    }
  });
});
