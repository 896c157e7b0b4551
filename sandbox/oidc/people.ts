import { createHash } from 'node:crypto';
import type { Core } from '../core/core.ts';

/** A person with an account at the simulated identity provider. */
export type Person = {
  readonly sub: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
};
export type People = {
  list(): readonly Person[];
  find(sub: string): Person | null;
  /** Adds or updates the person with this address; the same address keeps its `sub`. */
  put(of: { email: string; name: string; emailVerified: boolean }): Person;
  reset(): void;
};

const FIRST: readonly Person[] = [
  { sub: subOf('robin@example.com'), email: 'robin@example.com', name: 'Robin Tester', emailVerified: true },
  { sub: subOf('kim@example.com'), email: 'kim@example.com', name: 'Kim Tester', emailVerified: false },
];

export function createPeople(core: Core): People {
  const saved = core.state.load<{ people: Person[] }>('oidc-people', { people: [...FIRST] });
  return {
    list: () => saved.people,
    find: (sub) => saved.people.find((one) => one.sub === sub) ?? null,
    put(of) {
      const email = of.email.trim().toLowerCase();
      const person = { sub: subOf(email), email, name: of.name.trim() || email, emailVerified: of.emailVerified };
      saved.people = [...saved.people.filter((one) => one.sub !== person.sub), person];
      core.state.changed();
      return person;
    },
    reset: () => void (saved.people = [...FIRST]),
  };
}

/** Derives a numeric id, as the large providers use. */
function subOf(email: string): string {
  return createHash('sha256').update(email).digest().readBigUInt64BE().toString();
}
