import { expect, test } from 'vitest';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { switchPower, testPower } from './switch-power.ts';

/** A plug that obeys, unless it is stuck or fails. */
function createPlug({ stuck = false, error = null as Error | null } = {}) {
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
  const { db, values } = createFakeDatabase(null);
  return { context: { db, power }, state, values };
}
const unreachable = { code: 'provider_unavailable', message: 'We can’t reach the smart plug.' };

test('the plug switches and is read back, a test lasts two seconds, and the audit log names who did it', async () => {
  const { context, state, values } = createPlug();
  await switchPower(context, true, 'me');
  expect(state.on).toBe(true);
  await switchPower(context, false, 'me');
  expect(state.on).toBe(false);
  await testPower(context, 'me');
  expect(state.pulses).toEqual([2]);
  expect(values).toEqual([
    ['me', { on: true }],
    ['me', { on: false }],
    ['me', { test: true }],
  ]);
});

test('a plug that does not switch or answer is refused as unreachable, and another error is thrown on', async () => {
  await expect(switchPower(createPlug({ stuck: true }).context, true, 'me')).rejects.toMatchObject(unreachable);
  const silent = createPlug({ error: new ProviderError('plug', 'no_response', { retryable: true }) });
  await expect(switchPower(silent.context, true, 'me')).rejects.toMatchObject(unreachable);
  await expect(testPower(silent.context, 'me')).rejects.toMatchObject(unreachable);
  const error = new Error('an error of our own');
  await expect(testPower(createPlug({ error }).context, 'me')).rejects.toBe(error);
});
