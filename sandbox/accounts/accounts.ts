import { createHash } from 'node:crypto';
import type { Core } from '../core/core.ts';

/** An account at the simulated identity provider. */
export type Account = {
  readonly sub: string;
  readonly email: string;
  readonly name: string;
  readonly emailVerified: boolean;
};
export type Accounts = {
  list(): readonly Account[];
  find(sub: string): Account | null;
  /** Adds or updates the account with this address. An existing account keeps its `sub`. */
  put(account: Omit<Account, 'sub'>): Account;
  reset(): void;
};

const INITIAL: readonly Account[] = [
  { sub: deriveSub('robin@example.com'), email: 'robin@example.com', name: 'Robin Tester', emailVerified: true },
  { sub: deriveSub('kim@example.com'), email: 'kim@example.com', name: 'Kim Tester', emailVerified: false },
];

export function createAccounts(core: Core): Accounts {
  const saved = core.state.load<{ people: Account[] }>('oidc-people', { people: [...INITIAL] });
  return {
    list: () => saved.people,
    find: (sub) => saved.people.find((person) => person.sub === sub) ?? null,
    put({ email: address, name, emailVerified }) {
      const email = address.trim().toLowerCase();
      const account = { sub: deriveSub(email), email, name: name.trim() || email, emailVerified };
      saved.people = [...saved.people.filter((person) => person.sub !== account.sub), account];
      core.state.changed();
      return account;
    },
    reset: () => void (saved.people = [...INITIAL]),
  };
}

/** Derives a numeric id like those of the large providers. */
function deriveSub(email: string): string {
  return createHash('sha256').update(email).digest().readBigUInt64BE().toString();
}
