import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSessionWatch } from '#server/http/token.ts';
import type { Member } from './core/token.ts';
import { createSessionChecks } from './session-checks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createMember = (sessionId: string): Member => ({
  token: '',
  role: 'authenticated',
  claims: { sub: `of ${sessionId}` },
  identity: sessionId,
  sessionId,
  expiresAt: Number.POSITIVE_INFINITY,
});

/** Starts checks of sessions with one channel each. `end`: ends a session, which the database reports. `failing`: the database fails. */
function start(...ids: string[]) {
  const world = { alive: new Set(ids), failing: false, ended: [] as string[], checks: [] as number[], warnings: 0 };
  const watch = createSessionWatch((id) =>
    world.failing ? Promise.reject(new Error('no connection')) : Promise.resolve(world.alive.has(id)),
  );
  const sockets = {
    async checkChannels(concerns: (member: Member) => boolean) {
      world.checks.push(performance.now());
      for (const id of ids.filter((sessionId) => concerns(createMember(sessionId))))
        if (!(await watch.alive(id)) && !world.ended.includes(id)) world.ended.push(id);
    },
  };
  const log = { warn: () => void (world.warnings += 1) };
  const checks = createSessionChecks(sockets, { note: () => undefined }, log);
  const end = (id: string): void => {
    world.alive.delete(id);
    checks.note(`session:${id}`);
  };
  return { ...checks, end, watch, world };
}

test('a session that ends while another end waits is checked again later than its answer is cached', async () => {
  const { end, watch, world } = start('a', 'b');
  end('a');
  await vi.advanceTimersByTimeAsync(400);
  await watch.alive('b');
  await vi.advanceTimersByTimeAsync(100);
  end('b');
  await vi.advanceTimersByTimeAsync(100);
  expect(world.ended).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(600);
  expect(world.ended).toEqual(['a', 'b']);
});

test('whenever a session ends, its channel ends within 1.2 seconds', async () => {
  for (let offset = 0; offset <= 1_200; offset += 50) {
    const { end, watch, world } = start('a', 'b');
    end('a');
    for (let passed = 0; passed < offset; passed += 50) {
      await watch.alive('b');
      await vi.advanceTimersByTimeAsync(50);
    }
    await watch.alive('b');
    end('b');
    await vi.advanceTimersByTimeAsync(1_200);
    expect({ offset, ended: world.ended }).toEqual({ offset, ended: ['a', 'b'] });
  }
});

test('many ends are checked in one turn', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `s${index}`);
  const { end, world } = start(...ids);
  for (const id of ids) end(id);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(world.ended).toHaveLength(500);
  expect(world.checks).toHaveLength(2);
});

test('missed notifications check every channel', async () => {
  const { note, world } = start('a', 'b');
  world.alive.clear();
  note('');
  await vi.advanceTimersByTimeAsync(600);
  expect(world.ended).toEqual(['a', 'b']);
});

test('a check that fails is repeated until the database answers', async () => {
  const { end, world } = start('a');
  world.failing = true;
  end('a');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(world.ended).toEqual([]);
  expect(world.warnings).toBeGreaterThan(1);
  world.failing = false;
  await vi.advanceTimersByTimeAsync(600);
  expect(world.ended).toEqual(['a']);
});

test('nothing is checked after the stop', async () => {
  const { end, stop, world } = start('a');
  end('a');
  stop();
  end('a');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(world.checks).toEqual([]);
});
