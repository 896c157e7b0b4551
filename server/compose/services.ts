import { readStudioLocks } from '#server/operations/access/studio-locks.ts';
import type { Services } from '#server/operations/core/services.ts';
import { createSingleFlight } from '#server/operations/core/single-flight.ts';
import { createCheckQueue } from '#server/operations/identity/check-queue.ts';
import type { Circuit } from '#server/providers/circuit.ts';
import { guardIdentityChecks, guardIdReader, guardLocks, guardPayments } from '#server/providers/guarded.ts';
import type { IdReader, PictureDecoder } from '#server/providers/ports.ts';
import { createStripeIdentity } from '#server/providers/stripe/identity.ts';
import { createStripePayments } from '#server/providers/stripe/payments.ts';
import type { Config } from '#server/config/operating/config.ts';
import { createIdReader, createLocks, createWallets } from '#server/start/open-adapters.ts';
import { openPlugs } from '#server/start/open-plugs.ts';
import type { ComposedAuth } from './auth.ts';
import type { Base } from './base.ts';
import type { Files } from './files.ts';
import type { Outside } from './outside.ts';

/** Minutes for which a payment session stays open. The provider requires at least 30. */
const SESSION_MINUTES = 31;

type OpenedServices = {
  readonly services: Services;
  /** The locks of the services. Update it when rooms get other locks. */
  readonly studioLocks: Map<string, string>;
  readonly plugCircuits: readonly Circuit[];
};

/** Opens the services of operations. Their statements run in the class of urgent work. */
export async function openServices(
  config: Config,
  { db, urgent, clock, log, secrets, business, overrides }: Base,
  { circuits, createBreaker, count, mail }: Outside,
  { store, pictures }: Files,
  auth: ComposedAuth,
  opened: AsyncDisposableStack,
): Promise<OpenedServices> {
  const { plugs, circuits: plugCircuits } = openPlugs(config.plugs, createBreaker);
  const reader = overrides.idReader ?? openIdReader(config, pictures, opened);
  const studioLocks = await readStudioLocks(db, config.igloohome.locks);
  const services: Services = {
    db: urgent,
    clock,
    log,
    siteUrl: config.siteUrl,
    config: readOperatorConfig(config),
    business: business.now,
    links: secrets.links,
    mail,
    texts: config.auth.phoneEnabled ? auth.texts : null,
    store,
    wallets: await createWallets(config.wallet, circuits),
    plugs,
    payments: guardPayments(createStripePayments(config.stripe, overrides.fetch), circuits.payments),
    openings: createSingleFlight(),
    settlements: createSingleFlight(),
    countOutcome: count,
    locks: guardLocks(createLocks(config), circuits.locks),
    studioLocks,
    encryption: secrets.doorCodes,
    fingerprint: secrets.doorFingerprint,
    // The local reader has no circuit breaker, because it is not an outside system. It has its own queue and time limit.
    idReader: config.vision === null ? reader : guardIdReader(reader, circuits.reader),
    pictures,
    // A CPU core reads one photo at a time; a remote model reads several.
    checkQueue: createCheckQueue({ atOnce: config.vision === null ? 1 : 4 }),
    hostedChecks: openHostedChecks(config.stripe, circuits.identity, overrides.fetch),
    proveOwner: auth.proveOwner,
    forgetSessions: auth.forgetSessions,
  };
  return { services, studioLocks, plugCircuits };
}

function readOperatorConfig(config: Config): Services['config'] {
  return {
    holdMinutes: config.holdMinutes,
    sessionMinutes: SESSION_MINUTES,
    answerWithinMs: config.paymentAnswerSeconds * 1000,
    limitFactor: config.limitFactor,
    alertAddresses: config.ownerEmails,
    developerPages: config.developerPages,
  };
}

function openIdReader(config: Config, pictures: PictureDecoder, opened: AsyncDisposableStack): IdReader {
  const reader = createIdReader(config, pictures);
  opened.defer(() => reader.close());
  return reader;
}

function openHostedChecks(
  { hostedChecks, restrictedKey, apiUrl }: Config['stripe'],
  circuit: Circuit,
  viaFetch: typeof fetch | undefined,
): Services['hostedChecks'] {
  return hostedChecks ? guardIdentityChecks(createStripeIdentity({ restrictedKey, apiUrl }, viaFetch), circuit) : null;
}
