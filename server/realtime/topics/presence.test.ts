import { expect, test } from 'vitest';
import { applyPresence, type Presence, type PresenceEntry, encodeState } from './presence.ts';

const entry = (key: string, ref: string, payload: object, previous: string | null = null): PresenceEntry => ({
  key,
  ref,
  previous,
  payload: JSON.stringify(payload),
});

test('one key may have several entries; an update names the ref it replaces', () => {
  const presence: Presence = new Map();
  const [first, second] = [entry('anna', 'r1', { n: 1 }), entry('anna', 'r2', {})];
  applyPresence(presence, { joins: [first, second], leaves: [] });
  const diff = applyPresence(presence, { joins: [entry('anna', 'r3', { n: 2 }, 'r1')], leaves: [first] });
  expect(JSON.parse(diff ?? '')).toEqual({
    joins: { anna: { metas: [{ n: 2, phx_ref: 'r3', phx_ref_prev: 'r1' }] } },
    leaves: { anna: { metas: [{ n: 1, phx_ref: 'r1' }] } },
  });
  expect(JSON.parse(encodeState(presence))).toEqual({
    anna: { metas: [{ phx_ref: 'r2' }, { n: 2, phx_ref: 'r3', phx_ref_prev: 'r1' }] },
  });
});

test('a diff that was applied before changes nothing', () => {
  const presence: Presence = new Map();
  const diff = { joins: [entry('anna', 'r1', {})], leaves: [] };
  expect(applyPresence(presence, diff)).not.toBeNull();
  expect(applyPresence(presence, diff)).toBeNull();
  expect(applyPresence(presence, { joins: [], leaves: [entry('ben', 'r9', {})] })).toBeNull();
});

test('a payload cannot replace the ref', () => {
  const presence: Presence = new Map();
  applyPresence(presence, { joins: [entry('anna', 'r1', { phx_ref: 'forged' })], leaves: [] });
  expect(JSON.parse(encodeState(presence))).toEqual({ anna: { metas: [{ phx_ref: 'r1' }] } });
});
