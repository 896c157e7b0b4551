import { expect, test } from 'vitest';
import { createRate } from './rate.ts';
import { readJoinRequest } from './join-request.ts';

test('a join without a config has the defaults', () => {
  for (const payload of [
    {},
    null,
    'x',
    { config: 1 },
    { config: { broadcast: 'x', presence: 1, postgres_changes: {} } },
  ])
    expect(readJoinRequest(payload)).toEqual({
      broadcast: { ack: false, self: false, replicationReady: false },
      replay: null,
      presence: { key: '', enabled: false },
      changes: [],
      changesOptions: { wait: false, timeout: 15_000, since: null },
      isPrivate: false,
      accessToken: null,
    });
});

test('flags may be texts, and entries without content are left out', () => {
  const config = {
    broadcast: { ack: 'TRUE', self: 'false' },
    private: 'true',
    postgres_changes: [null, { event: '*' }, 'x'],
    postgres_changes_options: { wait: true, timeout: 60_000 },
  };
  expect(readJoinRequest({ config, user_token: 't' })).toMatchObject({
    broadcast: { ack: true, self: false },
    isPrivate: true,
    changes: [{ event: '*' }],
    changesOptions: { wait: true, timeout: 20_000 },
    accessToken: 't',
  });
});

test.each([
  [{ since: 5 }, { since: 5, limit: 25 }],
  [
    { since: 5, limit: 3 },
    { since: 5, limit: 3 },
  ],
  [{ since: 5, limit: 26 }, 'invalid'],
  [{ since: 5, limit: 0 }, 'invalid'],
  [{ since: 1.5 }, 'invalid'],
  [{ since: 'x' }, 'invalid'],
])('replay %j is read as %j', (replay, expected) => {
  expect(readJoinRequest({ config: { broadcast: { replay } } }).replay).toEqual(expected);
});

test('a key of the form sb_… is no token of the caller', () => {
  expect(readJoinRequest({ access_token: 'sb_publishable_x' }).accessToken).toBeNull();
});

test('a rate admits its number in a window, and again when the window has passed', () => {
  const rate = createRate(3, 6_000);
  expect([0, 1, 2, 3, 5_999].map((now) => rate.take(now))).toEqual([true, true, true, false, false]);
  expect(rate.take(6_000)).toBe(true);
});
