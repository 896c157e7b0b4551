import type { CallServices, Services } from '#server/operations/core/services.ts';

type Part<T> = T extends (...given: never[]) => unknown ? T : Partial<T>;
/** The services that a test provides, some of them only in part. */
type GivenServices = { readonly [Name in keyof Services]?: Part<Services[Name]> };

const NAMES: Readonly<Record<keyof Services, true>> = {
  db: true,
  clock: true,
  log: true,
  siteUrl: true,
  config: true,
  business: true,
  links: true,
  mail: true,
  texts: true,
  store: true,
  wallets: true,
  plugs: true,
  payments: true,
  openings: true,
  settlements: true,
  countOutcome: true,
  locks: true,
  studioLocks: true,
  encryption: true,
  fingerprint: true,
  idReader: true,
  pictures: true,
  checkQueue: true,
  hostedChecks: true,
  proveOwner: true,
  forgetSessions: true,
};

/** Returns the services of an operation under test. A service that the test does not provide throws when it is used. */
export function servicesWith(given: GivenServices): Services {
  const values = new Map<string, unknown>(Object.entries(given));
  const all = Object.keys(NAMES).map((name) => [name, values.has(name) ? values.get(name) : notGiven(name)] as const);
  // Cast: a partly provided service has what the test needs of it, and the others throw.
  return Object.fromEntries(all) as Services;
}

/** Returns the dependencies of a function under test. Any that the test does not provide throw when they are read. */
export const onlyGiven = <T extends object>(given: { readonly [Name in keyof T]?: Part<T[Name]> }): T =>
  // Cast: a partly provided dependency has what the test needs of it, and the rest throws.
  new Proxy(given, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : notGiven(String(name))),
  }) as T;

/** Returns the services of a call or event, all with the same database. */
export const forCalls = (services: Services): CallServices => ({ ...services, customerClass: services });

function notGiven(name: string): unknown {
  const refuse = (): never => {
    throw new Error(`The test has not given the service ${name}.`);
  };
  // Tools that print or await a value read symbols and `then` of it.
  const get = (_target: unknown, key: string | symbol): unknown =>
    typeof key === 'symbol' || key === 'then' ? undefined : refuse();
  return new Proxy(refuse, { get, apply: refuse });
}
