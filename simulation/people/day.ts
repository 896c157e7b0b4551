import type { Plan, World } from '../world/world.ts';
import { passUntil } from '../world/passing-time.ts';
import {
  book,
  bookSame,
  bookSeries,
  cancel,
  change,
  dispute,
  hoard,
  joinWaitlist,
  lookAtCode,
  returnToHold,
} from './booking.ts';
import { deleteAccount, type Person, signIn, signUp, verifyId } from './person.ts';
import { createStaff, type Staff, workAsStaff } from './staff.ts';

/** All people who ever come to the studio. */
export type Crowd = { readonly people: Person[]; readonly staff: Staff; signUps: number };

export const createCrowd = (): Crowd => ({ people: [], staff: createStaff(), signUps: 0 });

const DAY = 24 * 3_600_000;
/** The quiet part of the night: nothing goes wrong and no one comes, so that everything owed can be done. */
export const CALM_MS = 2 * 3_600_000;
const PEOPLE_MAX = 24;

type Deed = (world: World, crowd: Crowd) => Promise<void>;

/** Lets the people of one day come, each at a random time. `afterwards`: called when someone has done something. */
export async function liveDay(world: World, crowd: Crowd, afterwards: () => Promise<void>): Promise<void> {
  const { random, time } = world;
  const begin = time.now();
  const count = 24 + random.below(16);
  const times = Array.from({ length: count }, () => begin + random.below(DAY - CALM_MS)).toSorted((a, b) => a - b);
  for (const at of [...times, begin + DAY - CALM_MS]) {
    for (let plan = takePlan(world, at); plan; plan = takePlan(world, at)) {
      await passUntil(world, plan.at);
      await time.until(plan.deed());
    }
    await passUntil(world, at);
    if (!times.includes(at)) continue;
    await comeTogether(world, crowd);
    await afterwards();
  }
}

/** Takes the next plan for the time until `end`, in the order in which they were made. */
function takePlan({ plans }: World, end: number): Plan | null {
  const at = plans.findIndex((plan) => plan.at < end);
  return at === -1 ? null : (plans.splice(at, 1)[0] ?? null);
}

/** Lets one to three people do something at the same time. The server may be killed meanwhile. */
async function comeTogether(world: World, crowd: Crowd): Promise<void> {
  const { random, time, run } = world;
  if (random.chance(0.06)) run?.killAfter(1 + random.below(60));
  const deeds = Array.from({ length: random.chance(0.25) ? 2 + random.below(2) : 1 }, () => pickDeed(world, crowd));
  const all = Promise.all(deeds.map((deed) => deed(world, crowd)));
  await time.until(all);
}

function pickDeed({ random }: World, { people }: Crowd): Deed {
  if (people.length < 3 || (people.filter(({ isDeleted }) => !isDeleted).length < PEOPLE_MAX && random.chance(0.12)))
    return comeNew;
  const draw = random.next();
  if (draw < 0.25) return (world, { staff }) => workAsStaff(world, staff, people);
  return visit;
}

async function comeNew(world: World, crowd: Crowd): Promise<void> {
  crowd.signUps += 1;
  const person = await signUp(world, crowd.signUps);
  if (!person) return;
  crowd.people.push(person);
  await verifyId(world, person);
  await book(world, person);
}

type Visit = (world: World, person: Person, people: readonly Person[]) => Promise<void>;
/** What people come for, and how often. */
const VISITS: readonly (readonly [number, Visit])[] = [
  [30, book],
  [10, bookSame],
  [8, bookSeries],
  [20, cancel],
  [14, change],
  [16, returnToHold],
  [6, joinWaitlist],
  [8, lookAtCode],
  [2, deleteAccount],
  [2, dispute],
  [3, hoard],
];
const WEIGHTS = VISITS.reduce((sum, [weight]) => sum + weight, 0);

async function visit(world: World, { people }: Crowd): Promise<void> {
  const { random } = world;
  const person = random.pickFrom(people.filter(({ isDeleted }) => !isDeleted));
  if (!person) return;
  const { data } = await person.browser.client.auth.getSession();
  if (data.session === null && !(await signIn(world, person))) return;
  if (!person.isVerified && random.chance(0.5)) await verifyId(world, person);
  let draw = random.below(WEIGHTS);
  for (const [weight, act] of VISITS) {
    if (draw < weight) return act(world, person, people);
    draw -= weight;
  }
}
