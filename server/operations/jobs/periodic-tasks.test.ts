import { expect, test } from 'vitest';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { periodicTasks } from './periodic-tasks.ts';
import { sessionTasks } from './session-tasks.ts';

const NOW = new Date('2031-03-01T00:00:00Z');

/** Services whose database records its statements. `lease`: whether this process has the leases. */
function recording(lease = true) {
  const { db, statements } = createRowDatabase({ take_lease: { value: lease, taken: false } });
  const services = servicesWith({
    db,
    clock: () => NOW,
    texts: null,
    plugs: new Map(),
    locks: {},
    studioLocks: new Map(),
    config: { alertAddresses: ['owner@example.com'] },
  });
  /** Returns the SQL functions and tables of the statements since the last call. */
  const takeCalled = (): (string | undefined)[] =>
    statements.splice(0).map(({ text }) => /private\.\w+/.exec(text)?.[0]);
  return { services, statements, takeCalled };
}
const payments = {
  releaseExpiredHolds: () => Promise.resolve(),
  reconcilePayments: () => Promise.resolve(),
  paymentsDown: () => false,
};
const everything = { lightsFollow: true, lockCheckMinutes: 15, ledgerCheckHours: 24 };

test('each periodic task has its name and interval, and calls its SQL function', async () => {
  const { services, takeCalled } = recording();
  const described: string[] = [];
  for (const { name, everyMs, run } of [...periodicTasks(services, payments), ...sessionTasks(services, everything)]) {
    await run(() => false);
    described.push([name, `${everyMs / 1000} s`, ...new Set(takeCalled())].join(', '));
  }
  expect(`\n${described.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    release expired holds, 1 s
    follow the prices of the day, 60 s, private.update_hourly_rates
    delete unused photos, 600 s, private.delete_unused_photos
    forget the buyers whose tax records have ended, 3600 s, private.forget_buyers
    forget the crews of past sessions, 3600 s, private.forget_crews
    forget the passes of past sessions, 3600 s, private.forget_passes
    reconcile payments, 5 s, private.take_lease
    alert the owner to failing jobs, 5 s, private.outbox
    follow the opening hours, 60 s, private.follow_all_opening_hours
    extend closures without an end, 60 s, private.extend_closures
    follow the wait list, 2 s, private.follow_waitlist
    remind of sessions, 30 s, private.queue_reminders
    thank after sessions, 60 s, private.queue_thanks
    tell customers of held codes, 30 s, private.tell_held_codes
    follow lost ID checks, 30 s, private.raise_missing_ids, private.missing_ids_due
    switch the lights with the sessions, 10 s, private.follow_sessions
    check the locks, 10 s, private.take_lease
    compare with the payment provider, 600 s, private.ledger_check, private.start_ledger_check
    "
  `);
});

test('tasks that are switched off are left out', () => {
  const { services } = recording();
  const names = (settings: Partial<typeof everything>) =>
    sessionTasks(services, { ...everything, ...settings }).map(({ name }) => name);
  const all = names({});
  for (const off of [{ lightsFollow: false }, { lockCheckMinutes: 0 }, { ledgerCheckHours: 0 }])
    expect(names(off)).toHaveLength(all.length - 1);
  expect(names({ lightsFollow: false, lockCheckMinutes: 0, ledgerCheckHours: 0 })).toEqual(all.slice(0, -3));
});

test('the comparison with the payment provider starts unless one was started within its hours', async () => {
  const { services, statements, takeCalled } = recording();
  const compare = sessionTasks(services, { ...everything, ledgerCheckHours: 24 }).at(-1);
  await compare?.run(() => false);
  // The first of March is in the first week of its month, so February is compared too.
  expect(statements[0]?.values).toEqual(['2031-02-01', new Date('2031-02-28T00:00:00Z')]);
  expect(statements[2]?.values).toEqual(['2031-03-01', new Date('2031-02-28T00:00:00Z')]);
  const both = ['private.ledger_check', 'private.start_ledger_check'];
  expect(takeCalled()).toEqual([...both, ...both]);
});

test('holds are released until the task is stopped or the payment provider is down', async () => {
  const stops: (() => boolean)[] = [];
  let isDown = false;
  const releaseExpiredHolds = (stop: () => boolean): Promise<void> => Promise.resolve(void stops.push(stop));
  const [release] = periodicTasks(recording().services, {
    ...payments,
    releaseExpiredHolds,
    paymentsDown: () => isDown,
  });
  let isStopped = false;
  await release?.run(() => isStopped);
  const [stop] = stops;
  expect(stop?.()).toBe(false);
  isDown = true;
  expect(stop?.()).toBe(true);
  [isDown, isStopped] = [false, true];
  expect(stop?.()).toBe(true);
});

test('payments are reconciled by the process with the lease, and again half a minute after a failure', async () => {
  const reconcile = async (lease: boolean, error: Error | null) => {
    const { services, statements, takeCalled } = recording(lease);
    let runs = 0;
    const reconcilePayments = async (): Promise<void> => {
      runs += 1;
      if (error !== null) throw error;
    };
    const task = periodicTasks(services, { ...payments, reconcilePayments }).find(
      ({ name }) => name === 'reconcile payments',
    );
    const failed = await task
      ?.run(() => false)
      .then(
        () => null,
        (reason: unknown) => reason,
      );
    return { runs, failed, values: statements.map(({ values }) => values), called: takeCalled() };
  };
  expect(await reconcile(false, null)).toMatchObject({ runs: 0, called: ['private.take_lease'] });
  expect(await reconcile(true, null)).toMatchObject({
    runs: 1,
    called: ['private.take_lease'],
    values: [['reconcile', NOW, '5 minutes']],
  });
  const error = new Error('down');
  const { runs, failed, called, values } = await reconcile(true, error);
  expect([runs, failed]).toEqual([1, error]);
  expect(called).toEqual(['private.take_lease', 'private.lease']);
  expect(values[1]).toEqual([new Date(+NOW + 30_000)]);
});
