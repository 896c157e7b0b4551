import { CALM, type Weather } from '../runtime/network.ts';
import { createRandom, type Random } from '../runtime/random.ts';
import type { World } from './world.ts';

const BREEZE: Weather = { lost: 0.01, answerLost: 0.01, late: 0.02, twice: 0.005, failed: 0.01 };
const WEBHOOKS: Weather = { lost: 0.08, answerLost: 0.04, late: 0.08, twice: 0.08, failed: 0 };
const PEOPLE: Weather = { lost: 0.004, answerLost: 0.006, late: 0.004, twice: 0, failed: 0 };
/** How likely a provider is down on a day. */
const OUTAGES = 0.12;
const OUTAGE: Weather = { lost: 0.7, answerLost: 0.15, late: 0, twice: 0, failed: 0.15 };

/** Decides what goes wrong, day by day. */
export type Forecast = {
  startDay(): Promise<void>;
  /** Whether the locks are down today. */
  areLocksDown(): boolean;
  /** Ends everything that is wrong. Banks return the money that they hold back. */
  calmDown(): Promise<void>;
};

/** Banks sometimes take days for a refund, or send the money back. */
async function startBadRefunds({ control, counters }: World, random: Random): Promise<void> {
  if (!random.chance(0.1)) return;
  const next = random.pick(['pending', 'failed'] as const);
  counters.count(`next refund ${next}`);
  await control('/refunds', { next, count: 1 });
}

async function endBadRefunds({ control }: World): Promise<void> {
  await control('/refunds', { next: 'succeeded' });
  for (const { id, status } of await control<{ id: string; status: string }[]>('/refunds'))
    if (status === 'pending') await control(`/refunds/${id}`, { outcome: 'succeeded' });
}

export function createForecast(world: World): Forecast {
  const random: Random = createRandom(world.seed, 'weather');
  const { machine, counters } = world;
  const { network, mailbox } = machine;
  let locksDown = false;
  const provider = (name: string): boolean => {
    const isOut = random.chance(OUTAGES);
    if (isOut) counters.count(`outage of ${name}`);
    network.setWeather('server', name, isOut ? OUTAGE : BREEZE);
    return isOut;
  };
  return {
    async startDay() {
      provider('payments');
      locksDown = provider('locks');
      provider('plugs');
      const isDown = random.chance(OUTAGES);
      if (isDown) counters.count('outage of mail');
      mailbox.setState({ isDown, answerLost: 0.01 });
      await startBadRefunds(world, random);
      network.setWeather('sandbox', 'server', WEBHOOKS);
      network.setWeather('people', 'server', PEOPLE);
    },
    areLocksDown: () => locksDown,
    async calmDown() {
      for (const name of ['payments', 'locks', 'plugs']) network.setWeather('server', name, CALM);
      for (const from of ['sandbox', 'people']) network.setWeather(from, 'server', CALM);
      mailbox.setState({ isDown: false, answerLost: 0 });
      await endBadRefunds(world);
    },
  };
}
