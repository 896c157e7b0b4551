import type { World } from '../world/world.ts';
import { toPicture } from '../world/pictures.ts';
import { type Browser, openBrowser } from './client.ts';

/** A customer, and what they remember. */
export type Person = {
  readonly email: string;
  readonly password: string;
  readonly givenNames: string;
  readonly familyName: string;
  readonly dateOfBirth: string;
  browser: Browser;
  userId: string;
  isVerified: boolean;
  isDeleted: boolean;
  /** The bookings that they believe they have, the newest last. */
  readonly bookings: OwnBooking[];
};

export type OwnBooking = {
  readonly id: string;
  readonly studioId: string;
  start: number;
  end: number;
  session: string | null;
};

const GIVEN = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gia', 'Hugo'] as const;
const FAMILY = ['Archer', 'Baker', 'Carter', 'Dyer', 'Fisher', 'Glover', 'Hunter', 'Mason'] as const;

/** Signs up with a mailed code, as the site does. Returns null if it did not work this time. */
export async function signUp(world: World, number: number): Promise<Person | null> {
  const { random, counters, time } = world;
  const person: Person = {
    email: `person-${number}@example.com`,
    password: `a long enough secret ${number}!`,
    givenNames: random.pick(GIVEN),
    familyName: random.pick(FAMILY),
    dateOfBirth: '1990-05-17',
    browser: openBrowser(world),
    userId: '',
    isVerified: false,
    isDeleted: false,
    bookings: [],
  };
  const { auth } = person.browser.client;
  const since = time.now();
  const data = {
    full_name: `${person.givenNames} ${person.familyName}`,
    phone: '+61400000000',
    date_of_birth: person.dateOfBirth,
  };
  const signedUp = await auth.signUp({ email: person.email, password: person.password, options: { data } });
  if (signedUp.error) {
    counters.count(`sign-up refused ${signedUp.error.code ?? 'without answer'}`);
    return null;
  }
  const code = await readMailedCode(world, person.email, since);
  if (code === null) return null;
  const verified = await auth.verifyOtp({ email: person.email, token: code, type: 'email' });
  person.userId = verified.data.user?.id ?? '';
  counters.count(person.userId === '' ? `sign-up code refused ${verified.error?.code ?? ''}` : 'sign-up');
  return person.userId === '' ? null : person;
}

const MAIL_SECONDS = 30;

/** Waits for a mail with a code. */
async function readMailedCode({ machine }: World, email: string, since: number): Promise<string | null> {
  for (let waited = 0; waited < MAIL_SECONDS; waited += 2) {
    const code = /^Code: (\d{6})$/m.exec(machine.mailbox.to(email, since).at(-1)?.text ?? '')?.[1];
    if (code !== undefined) return code;
    await new Promise((resolve) => void setTimeout(resolve, 2_000));
  }
  return null;
}

/** Signs in again, as after some weeks. */
export async function signIn(world: World, person: Person): Promise<boolean> {
  person.browser = openBrowser(world);
  const { email, password } = person;
  const { error } = await person.browser.client.auth.signInWithPassword({ email, password });
  world.counters.count(error ? `sign-in refused ${error.code ?? 'without answer'}` : 'sign-in');
  return error === null;
}

/** Shows a licence to the site. Some photos are bad, and some names do not match. */
export async function verifyId(world: World, person: Person): Promise<void> {
  const { random } = world;
  const isLegible = random.chance(0.9);
  const familyName = random.chance(0.9) ? person.familyName : 'Somebody';
  const idImage = toPicture({ ...person, familyName, expiry: '2031-05-17', isLegible });
  const answer = await person.browser.call('verify-id', { idImage });
  const { decision } = answer.body;
  world.counters.count(`id ${typeof decision === 'string' ? decision : answer.status}`);
  person.isVerified = decision === 'verified';
}

/** Deletes the account, as its owner may when no booking lies ahead. */
export async function deleteAccount(world: World, person: Person): Promise<void> {
  const answer = await person.browser.call('delete-account', { confirm: 'DELETE', currentPassword: person.password });
  if (answer.status === 200) person.isDeleted = true;
}
