import { PROVIDER_TIMEOUT_MS } from './call.ts';
import type { Circuit } from './circuit.ts';
import type { IdentityChecks, IdReader, Locks, Mail, Payments, Power, TextMessages } from './ports.ts';

/** Wraps each port in a circuit breaker, with a time budget for calls that take several requests. */

const MAIL_BUDGET_MS = 15_000;
/** The adapter polls a bridge's job for up to 20 s. */
const LOCK_BUDGET_MS = 30_000;
const LOOK_UP_BUDGET_MS = 2 * PROVIDER_TIMEOUT_MS;
const LIST_BUDGET_MS = 30_000;
/** Up to a hundred pages. */
const LEDGER_BUDGET_MS = 120_000;
const READING_BUDGET_MS = 65_000;

export function guardPayments(payments: Payments, circuit: Circuit): Payments {
  return {
    createSession: (input) => circuit.run(() => payments.createSession(input)),
    getSession: (id) => circuit.run(() => payments.getSession(id)),
    findSession: (bookingId, since) => circuit.run(() => payments.findSession(bookingId, since), LOOK_UP_BUDGET_MS),
    listSessions: (since) => circuit.run(() => payments.listSessions(since), LIST_BUDGET_MS),
    createCustomer: (input) => circuit.run(() => payments.createCustomer(input)),
    setCustomerEmail: (id, email) => circuit.run(() => payments.setCustomerEmail(id, email)),
    deleteCustomer: (id) => circuit.run(() => payments.deleteCustomer(id)),
    listCards: (id) => circuit.run(() => payments.listCards(id)),
    removeCard: (id, card) => circuit.run(() => payments.removeCard(id, card), LOOK_UP_BUDGET_MS),
    chargeCard: (input) => circuit.run(() => payments.chargeCard(input)),
    findCharge: (key, since) => circuit.run(() => payments.findCharge(key, since), LOOK_UP_BUDGET_MS),
    expireSession: (id) => circuit.run(() => payments.expireSession(id), LOOK_UP_BUDGET_MS),
    refund: (input) => circuit.run(() => payments.refund(input), LOOK_UP_BUDGET_MS),
    findSessionOfIntent: (id) => circuit.run(() => payments.findSessionOfIntent(id), LOOK_UP_BUDGET_MS),
    listRefunds: (id) => circuit.run(() => payments.listRefunds(id), LOOK_UP_BUDGET_MS),
    listDisputes: (id) => circuit.run(() => payments.listDisputes(id), LOOK_UP_BUDGET_MS),
    listEvents: (since) => circuit.run(() => payments.listEvents(since), LIST_BUDGET_MS),
    listLedger: (since) => circuit.run(() => payments.listLedger(since), LEDGER_BUDGET_MS),
    readEvent: (rawBody, signature) => payments.readEvent(rawBody, signature),
  };
}

export function guardIdentityChecks(checks: IdentityChecks, circuit: Circuit): IdentityChecks {
  return {
    createSession: (input) => circuit.run(() => checks.createSession(input)),
    getSession: (id) => circuit.run(() => checks.getSession(id)),
  };
}

export function guardLocks(locks: Locks, circuit: Circuit): Locks {
  return {
    capabilities: locks.capabilities,
    issueCode: (input) => circuit.run(() => locks.issueCode(input), LOCK_BUDGET_MS),
    revokeCode: (input) => circuit.run(() => locks.revokeCode(input), LOCK_BUDGET_MS),
    check: () => circuit.run(() => locks.check(), LOOK_UP_BUDGET_MS),
    open: (input) => circuit.run(() => locks.open(input), LOCK_BUDGET_MS),
    readStatus: (input) => circuit.run(() => locks.readStatus(input), LOCK_BUDGET_MS),
  };
}

export function guardMail(mail: Mail, circuit: Circuit): Mail {
  return { send: (message) => circuit.run(() => mail.send(message), MAIL_BUDGET_MS) };
}

export function guardTexts(texts: TextMessages, circuit: Circuit): TextMessages {
  return { send: (message) => circuit.run(() => texts.send(message)) };
}

export function guardPower(power: Power, circuit: Circuit): Power {
  return {
    set: (on) => circuit.run(() => power.set(on)),
    pulse: (seconds) => circuit.run(() => power.pulse(seconds)),
    isOn: () => circuit.run(() => power.isOn()),
  };
}

export function guardIdReader(reader: IdReader, circuit: Circuit): IdReader {
  return { read: (image) => circuit.run(() => reader.read(image), READING_BUDGET_MS) };
}
