import { auditDay, auditNow } from './auditors/audit-day.ts';
import { CALM_MS, createCrowd, liveDay } from './people/day.ts';
import type { FakeClock } from './runtime/globals.ts';
import { passUntil } from './world/passing-time.ts';
import { createForecast } from './world/weather.ts';
import { openWorld, type Violation } from './world/world.ts';

export type Simulation = {
  readonly seed: number;
  readonly days: number;
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly counts: ReadonlyMap<string, number>;
};

/** Simulates `days` days of a studio. The globals must be owned already. */
export async function simulate(options: {
  readonly seed: number;
  readonly days: number;
  readonly clock: FakeClock;
  readonly print: ((line: string) => void) | null;
  readonly onViolation: (violation: Violation) => void;
  /** Whether the first day with a violation is the last one. */
  readonly stopsEarly: boolean;
}): Promise<Simulation> {
  const { seed, days, stopsEarly } = options;
  const world = await openWorld(options);
  const crowd = createCrowd();
  const forecast = createForecast(world);
  await prepareStudio(world.run?.app.db);
  let lived = 0;
  while (lived < days && !(stopsEarly && world.violations.length > 0)) {
    await world.time.until(forecast.startDay());
    const kills = world.kills;
    await liveDay(world, crowd, () => auditNow(world, crowd));
    await world.time.until(forecast.calmDown());
    await passUntil(world, world.time.now() + CALM_MS);
    await auditDay(world, crowd, forecast.areLocksDown() || world.kills > kills);
    lived += 1;
  }
  world.close();
  return { seed, days: lived, hash: world.trace.hash(), violations: world.violations, counts: world.counters.all() };
}

type Database = { query(text: string): Promise<unknown> };

/** The discount codes of the studio. */
async function prepareStudio(db: Database | undefined): Promise<void> {
  await db?.query(
    `insert into public.discount_codes (code, discount_type, discount_value, max_uses, per_user_limit) values
       ('TENOFF', 'percentage', 10, 40, null), ('FIVER', 'fixed', 5, 8, 2), ('ALLFREE', 'percentage', 100, 12, 1)`,
  );
}
