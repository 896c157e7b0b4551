import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeLocks } from '#tests/support/providers/locks.ts';
import { openSandboxPorts, type SandboxPorts } from '#tests/support/sandbox-ports.ts';
import type { LockCapabilities, Locks } from '../ports.ts';
import { createIgloohomeLocks } from './locks.ts';

/** The locks in memory accept and refuse as the sandbox does through the adapter. Each case runs on both. */

const LOCK = 'SPA1X0001';
let outside: SandboxPorts;
beforeAll(async () => {
  outside = await openSandboxPorts();
}, 30_000);
afterAll(() => outside.close());

const inSandbox = (mode: LockCapabilities['mode']): Locks =>
  createIgloohomeLocks({
    authUrl: `${outside.at(2)}/oauth2/token`,
    apiUrl: `${outside.at(2)}/igloohome`,
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    bridgeId: mode === 'bridge' ? 'EB1X00001' : null,
    mode,
  });
const inMemory = (mode: LockCapabilities['mode']): Locks =>
  createFakeLocks(() => new Date(), [LOCK, 'SPB1X0002'], inSandbox(mode).capabilities).locks;
const inHours = (count: number): Date => new Date((Math.ceil(Date.now() / 3_600_000) + count) * 3_600_000);

type NewCode = Parameters<Locks['issueCode']>[0];
const newCode: NewCode = {
  lockId: LOCK,
  startsAt: inHours(2),
  endsAt: inHours(4),
  accessName: 'R-1',
  variant: 1,
  pin: '483920',
};

describe.each([
  ['in memory', inMemory],
  ['of the sandbox', inSandbox],
] as const)('locks %s', (_name, open) => {
  describe.each(['hourly', 'onetime'] as const)('that compute %s codes', (mode) => {
    let locks: Locks;
    beforeAll(() => {
      locks = open(mode);
    });
    const issue = async (more: Partial<NewCode> = {}): Promise<string> =>
      (await locks.issueCode({ ...newCode, pin: '', ...more })).pin;

    it('derive the digits from lock, hours and variant alone', async () => {
      const first = await issue();
      expect(first).toMatch(/^\d{9}$/);
      expect(await issue({ accessName: 'Another', pin: '111111' })).toBe(first);
      const others = [{ variant: 2 }, { lockId: 'SPB1X0002' }, { startsAt: inHours(3) }];
      for (const other of others) expect(await issue(other)).not.toBe(first);
      expect((await issue({ endsAt: inHours(5) })) === first).toBe(mode === 'onetime');
    });

    it('refuse a variant beyond their number, a past start and an unknown lock', async () => {
      const refused = { name: 'ProviderError', retryable: false, ambiguous: false };
      for (const more of [
        { variant: 0 },
        { variant: locks.capabilities.codesPerWindow + 1 },
        { startsAt: inHours(-3) },
        { lockId: 'UNKNOWN' },
      ])
        await expect(issue(more), JSON.stringify(more)).rejects.toMatchObject(refused);
    });

    it('cannot remove a code or open the door', async () => {
      const unsupported = { reason: 'not_supported' };
      await expect(locks.revokeCode({ lockId: LOCK, pin: await issue() })).rejects.toMatchObject(unsupported);
      await expect(locks.open({ lockId: LOCK })).rejects.toMatchObject(unsupported);
      expect(await locks.readStatus({ lockId: LOCK })).toEqual({ online: null });
    });
  });

  describe('behind a bridge', () => {
    let locks: Locks;
    beforeAll(() => {
      locks = open('bridge');
    });

    it('store our digits, refuse them for other hours, and take them again once they are removed', async () => {
      expect(await locks.issueCode(newCode)).toMatchObject({ pin: '483920' });
      expect(await locks.issueCode(newCode)).toMatchObject({ pin: '483920' });
      await expect(locks.issueCode({ ...newCode, endsAt: inHours(9) })).rejects.toMatchObject({
        name: 'ProviderError',
      });
      await locks.revokeCode({ lockId: LOCK, pin: '483920' });
      await locks.revokeCode({ lockId: LOCK, pin: '483920' });
      expect(await locks.issueCode({ ...newCode, endsAt: inHours(9) })).toMatchObject({ pin: '483920' });
    });

    it('refuse digits that are not 4 to 10, and hours that are over', async () => {
      for (const more of [{ pin: '' }, { pin: '12345678901' }, { startsAt: inHours(-3), endsAt: inHours(-1) }])
        await expect(locks.issueCode({ ...newCode, ...more })).rejects.toMatchObject({
          name: 'ProviderError',
          retryable: false,
        });
    });
  });
});
