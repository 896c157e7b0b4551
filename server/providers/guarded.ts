import { type ObserveCalls, observed, observedList, PROVIDER_TIMEOUT_MS } from './call.ts';
import type { Circuit } from './circuit.ts';
import type {
  Captcha,
  IdentityChecks,
  IdReader,
  Locks,
  Mail,
  ObjectStore,
  Payments,
  Power,
  SignInProvider,
  SingleSignOn,
  TextMessages,
} from './ports.ts';

/**
 * Wraps each port in a circuit breaker, with a time budget for calls that take several requests. Sign-in, captcha and objects have no
 * circuit, because a person waits for each of their calls and nothing repeats them. These are only observed.
 */

const MAIL_BUDGET_MS = 15_000;
/** The adapter polls a bridge's job for up to 20 s. */
const LOCK_BUDGET_MS = 30_000;
const LOOK_UP_BUDGET_MS = 2 * PROVIDER_TIMEOUT_MS;
const LIST_BUDGET_MS = 30_000;
/** A ledger may have up to a hundred pages. */
const LEDGER_BUDGET_MS = 120_000;
const READING_BUDGET_MS = 65_000;

export function guardPayments(payments: Payments, circuit: Circuit): Payments {
  return {
    provider: payments.provider,
    createSession: (input) =>
      circuit.run({ operation: 'createSession', about: [input.bookingId] }, () => payments.createSession(input)),
    getSession: (id) => circuit.run({ operation: 'getSession', about: [id] }, () => payments.getSession(id)),
    findSession: (bookingId, since) =>
      circuit.run(
        { operation: 'findSession', about: [bookingId] },
        () => payments.findSession(bookingId, since),
        LOOK_UP_BUDGET_MS,
      ),
    listSessions: (since) =>
      circuit.run({ operation: 'listSessions' }, () => payments.listSessions(since), LIST_BUDGET_MS),
    createCustomer: (input) => circuit.run({ operation: 'createCustomer' }, () => payments.createCustomer(input)),
    setCustomerEmail: (id, email) =>
      circuit.run({ operation: 'setCustomerEmail' }, () => payments.setCustomerEmail(id, email)),
    deleteCustomer: (id) => circuit.run({ operation: 'deleteCustomer' }, () => payments.deleteCustomer(id)),
    listCards: (id) => circuit.run({ operation: 'listCards' }, () => payments.listCards(id)),
    removeCard: (id, card) =>
      circuit.run({ operation: 'removeCard' }, () => payments.removeCard(id, card), LOOK_UP_BUDGET_MS),
    chargeCard: (input) =>
      circuit.run({ operation: 'chargeCard', about: [input.bookingId] }, () => payments.chargeCard(input)),
    findCharge: (key, since) =>
      circuit.run({ operation: 'findCharge' }, () => payments.findCharge(key, since), LOOK_UP_BUDGET_MS),
    expireSession: (id) =>
      circuit.run({ operation: 'expireSession', about: [id] }, () => payments.expireSession(id), LOOK_UP_BUDGET_MS),
    refund: (input) =>
      circuit.run(
        { operation: 'refund', about: [input.paymentIntentId] },
        () => payments.refund(input),
        LOOK_UP_BUDGET_MS,
      ),
    findSessionOfIntent: (id) =>
      circuit.run(
        { operation: 'findSessionOfIntent', about: [id] },
        () => payments.findSessionOfIntent(id),
        LOOK_UP_BUDGET_MS,
      ),
    listRefunds: (id) =>
      circuit.run({ operation: 'listRefunds', about: [id] }, () => payments.listRefunds(id), LOOK_UP_BUDGET_MS),
    listDisputes: (id) =>
      circuit.run({ operation: 'listDisputes', about: [id] }, () => payments.listDisputes(id), LOOK_UP_BUDGET_MS),
    listEvents: (since) => circuit.run({ operation: 'listEvents' }, () => payments.listEvents(since), LIST_BUDGET_MS),
    listLedger: (since) => circuit.run({ operation: 'listLedger' }, () => payments.listLedger(since), LEDGER_BUDGET_MS),
    readEvent: (rawBody, signature) => payments.readEvent(rawBody, signature),
  };
}

export function guardIdentityChecks(checks: IdentityChecks, circuit: Circuit): IdentityChecks {
  return {
    createSession: (input) => circuit.run({ operation: 'createSession' }, () => checks.createSession(input)),
    getSession: (id) => circuit.run({ operation: 'getSession' }, () => checks.getSession(id)),
  };
}

export function guardLocks(locks: Locks, circuit: Circuit): Locks {
  return {
    provider: locks.provider,
    revocableModes: locks.revocableModes,
    capabilities: locks.capabilities,
    issueCode: (input) =>
      circuit.run({ operation: 'issueCode', about: [input.accessName] }, () => locks.issueCode(input), LOCK_BUDGET_MS),
    revokeCode: (input) => circuit.run({ operation: 'revokeCode' }, () => locks.revokeCode(input), LOCK_BUDGET_MS),
    check: () => circuit.run({ operation: 'check' }, () => locks.check(), LOOK_UP_BUDGET_MS),
    open: (input) => circuit.run({ operation: 'open' }, () => locks.open(input), LOCK_BUDGET_MS),
    readStatus: (input) => circuit.run({ operation: 'readStatus' }, () => locks.readStatus(input), LOCK_BUDGET_MS),
  };
}

export function guardMail(mail: Mail, circuit: Circuit): Mail {
  return { send: (message) => circuit.run({ operation: 'send' }, () => mail.send(message), MAIL_BUDGET_MS) };
}

export function guardTexts(texts: TextMessages, circuit: Circuit): TextMessages {
  return { send: (message) => circuit.run({ operation: 'send' }, () => texts.send(message)) };
}

export function guardPower(power: Power, circuit: Circuit): Power {
  return {
    set: (on) => circuit.run({ operation: 'set' }, () => power.set(on)),
    pulse: (seconds) => circuit.run({ operation: 'pulse' }, () => power.pulse(seconds)),
    isOn: () => circuit.run({ operation: 'isOn' }, () => power.isOn()),
  };
}

export function guardIdReader(reader: IdReader, circuit: Circuit): IdReader {
  return { read: (image) => circuit.run({ operation: 'read' }, () => reader.read(image), READING_BUDGET_MS) };
}

export function observeCaptcha(captcha: Captcha, provider: string, observe: ObserveCalls): Captcha {
  return { check: (token, ip) => observed(observe, { provider, operation: 'check' }, () => captcha.check(token, ip)) };
}

export function observeSignIn(signIn: SignInProvider, observe: ObserveCalls): SignInProvider {
  const { name: provider, readIdToken } = signIn;
  return {
    ...signIn,
    startUrl: (input) => observed(observe, { provider, operation: 'startUrl' }, () => signIn.startUrl(input)),
    redeem: (input) => observed(observe, { provider, operation: 'redeem' }, () => signIn.redeem(input)),
    readIdToken:
      readIdToken &&
      ((token, access) => observed(observe, { provider, operation: 'readIdToken' }, () => readIdToken(token, access))),
  };
}

export function observeSingleSignOn(signOn: SingleSignOn, observe: ObserveCalls): SingleSignOn {
  const provider = 'saml';
  return {
    ...signOn,
    startUrl: (input) => observed(observe, { provider, operation: 'startUrl' }, () => signOn.startUrl(input)),
    read: (response, id) => observed(observe, { provider, operation: 'read' }, () => signOn.read(response, id)),
  };
}

export function observeStore(store: ObjectStore, observe: ObserveCalls): ObjectStore {
  const provider = 's3';
  return {
    put: (key, bytes) => observed(observe, { provider, operation: 'put' }, () => store.put(key, bytes)),
    get: (key) => observed(observe, { provider, operation: 'get' }, () => store.get(key)),
    open: (key, range) => observed(observe, { provider, operation: 'open' }, () => store.open(key, range)),
    copy: (from, to) => observed(observe, { provider, operation: 'copy' }, () => store.copy(from, to)),
    remove: (key) => observed(observe, { provider, operation: 'remove' }, () => store.remove(key)),
    list: (folder) => observedList(observe, { provider, operation: 'list' }, store.list(folder)),
  };
}
