import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { switchPower, testPower } from './switch-power.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** A plug that works, unless it is stuck or fails. */
function createPlug({ stuck = false, error = null as Error | null, row = null as unknown } = {}) {
  const state = { on: false, pulses: [] as number[] };
  const power: Power = {
    set: async (on) => {
      if (error) throw error;
      if (!stuck) state.on = on;
    },
    pulse: async (seconds) => {
      if (error) throw error;
      state.pulses.push(seconds);
    },
    isOn: async () => state.on,
  };
  const { db, values } = createFakeDatabase(row);
  return { context: servicesWith({ db, plugs: new Map([['', power]]) }), state, values };
}
const shared = (on: boolean) => ({ on, studioId: null });
const unreachable = { code: 'provider_unavailable', message: 'We can’t reach the smart plug.' };

test('the plug switches and is read back, a test lasts two seconds, and the audit log names who did it', async () => {
  const { context, state, values } = createPlug();
  await switchPower(context, shared(true), 'me');
  expect(state.on).toBe(true);
  await switchPower(context, shared(false), 'me');
  expect(state.on).toBe(false);
  await testPower(context, 'me');
  expect(state.pulses).toEqual([2]);
  expect(values).toEqual([
    ['me', 'update', 'power', 'plug', { on: true }],
    [],
    ['me', 'update', 'power', 'plug', { on: false }],
    [],
    ['me', 'update', 'power', 'plug', { test: true }],
  ]);
});

test('a plug that does not switch or answer is refused as unreachable, and another error is thrown on', async () => {
  await expect(switchPower(createPlug({ stuck: true }).context, shared(true), 'me')).rejects.toMatchObject(unreachable);
  const silent = createPlug({ error: new ProviderError('plug', 'no_response', { retryable: true }) });
  await expect(switchPower(silent.context, shared(true), 'me')).rejects.toMatchObject(unreachable);
  await expect(testPower(silent.context, 'me')).rejects.toMatchObject(unreachable);
  const error = new Error('an error of our own');
  await expect(testPower(createPlug({ error }).context, 'me')).rejects.toBe(error);
});

test('a room switches the plug it names, and one that is not set up is refused without an entry in the audit log', async () => {
  const named = createPlug({ row: { plug: 'Studio B' } });
  const { plugs } = createPlug().context;
  const context = { ...named.context, plugs: new Map([...plugs, ['Studio B', named.context.plugs.get('')!]]) };
  await switchPower(context, { on: true, studioId: 'b' }, 'me');
  expect([named.state.on, named.values]).toEqual([
    true,
    [['b'], ['me', 'update', 'power', 'Studio B', { on: true }], []],
  ]);
  const gone = createPlug({ row: { plug: 'Gone' } });
  await expect(switchPower(gone.context, { on: true, studioId: 'b' }, 'me')).rejects.toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining('“Gone” is not set up'),
  });
  expect(gone.values).toEqual([['b']]);
  await expect(switchPower(createPlug().context, { on: true, studioId: 'none' }, 'me')).rejects.toMatchObject({
    code: 'not_found',
  });
});
