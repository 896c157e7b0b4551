import { randomUUID } from 'node:crypto';
import type {
  Dispute,
  LedgerEntry,
  NewPaymentSession,
  PaymentSession,
  ProviderEvent,
  Refund,
} from '#server/providers/ports.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The bank's answer when a saved card is charged. `lost`: it pays, but the answer does not arrive. */
export type CardBehaviour = 'pays' | 'lost' | 'declined' | 'needs_customer' | 'gone';
/** A payment: a session of the pay page, or a charge of a saved card. */
export type StoredPayment = {
  readonly session: Mutable<PaymentSession>;
  readonly createdAt: Date;
  /** Null for a charge, and for a session that a test made without a call. */
  readonly input: NewPaymentSession | null;
  readonly refunds: Mutable<Refund>[];
  readonly disputes: Mutable<Dispute>[];
};
export type Customer = { readonly id: string; readonly userId: string; email: string | null; deleted: boolean };
export type Card = { readonly id: string; customerId: string | null; readonly behaviour: CardBehaviour };

/** The objects of the payment provider in memory, and the record of what happened to them. */
export type Store = {
  readonly clock: () => Date;
  /** The payments in the order of their creation. */
  readonly payments: Map<string, StoredPayment>;
  readonly customers: Map<string, Customer>;
  readonly cards: Map<string, Card>;
  readonly events: ProviderEvent[];
  readonly eventTimes: WeakMap<ProviderEvent, Date>;
  readonly ledger: LedgerEntry[];
};

export const createStore = (clock: () => Date): Store => ({
  clock,
  payments: new Map(),
  customers: new Map(),
  cards: new Map(),
  events: [],
  eventTimes: new WeakMap(),
  ledger: [],
});

export const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;
export const isCharge = ({ id }: PaymentSession): boolean => id.startsWith('pi_');

/** Deletes a customer. The customer's cards are then no longer saved for any customer. */
export function forgetCustomer(store: Store, id: string): void {
  const customer = store.customers.get(id);
  if (customer) customer.deleted = true;
  for (const card of store.cards.values()) if (card.customerId === id) card.customerId = null;
}

/** Finds the payment with this payment intent. */
export const ofIntent = (store: Store, intent: string): StoredPayment | undefined =>
  [...store.payments.values()].find(({ session }) => session.paymentIntentId === intent);

/** Records an event. The events of a session name it; the others name their own object and the payment. */
export function emit(store: Store, { session }: StoredPayment, type: string, objectId: string = session.id): void {
  const event = {
    id: newId('evt'),
    type,
    objectId,
    paymentIntentId: session.paymentIntentId,
    livemode: false,
  };
  store.events.push(event);
  store.eventTimes.set(event, store.clock());
}

/** Records a movement of money. */
export function book(
  store: Store,
  kind: LedgerEntry['kind'],
  entry: { id: string; amountCents: number; original: boolean },
): void {
  store.ledger.push({ kind, ...entry, currency: 'aud', createdAt: store.clock() });
}

const counts = ({ status }: Refund): boolean => status !== 'failed' && status !== 'canceled';

/** Returns the amount of a payment that is not refunded yet. */
export const getRemainingCents = ({ session }: StoredPayment): number => session.amountCents - session.refundedCents;

/** Adds a refund to a payment. `key` is null for a refund that a person made at the provider. */
export function addRefund(
  store: Store,
  payment: StoredPayment,
  { amountCents, key, status }: Omit<Refund, 'id'>,
): Refund {
  const refund = { id: newId('re'), status, amountCents, key };
  payment.refunds.push(refund);
  countRefunds(payment);
  book(store, 'refund', { id: refund.id, amountCents: -amountCents, original: true });
  emit(store, payment, 'refund.created', refund.id);
  emit(store, payment, 'charge.refunded', 'ch_1');
  return refund;
}

/** Ends a refund. If it fails or is canceled, the studio has its money again. */
export function endRefund(
  store: Store,
  payment: StoredPayment,
  refund: Mutable<Refund>,
  status: 'succeeded' | 'failed' | 'canceled',
): void {
  refund.status = status;
  countRefunds(payment);
  if (!counts(refund)) book(store, 'refund', { id: refund.id, amountCents: refund.amountCents, original: false });
  emit(store, payment, status === 'failed' ? 'refund.failed' : 'refund.updated', refund.id);
}

function countRefunds({ session, refunds }: StoredPayment): void {
  session.refundedCents = refunds.filter(counts).reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Closes the sessions that have expired. */
export function closeDue(store: Store): void {
  for (const payment of store.payments.values()) {
    const { session, input } = payment;
    if (session.status === 'open' && input !== null && input.expiresAt <= store.clock()) expire(store, payment);
  }
}

/** Closes an open session, or cancels a charge that took nothing. */
export function expire(store: Store, payment: StoredPayment): void {
  const { session } = payment;
  Object.assign(session, { status: 'expired', url: null });
  if (session.intentStatus !== null) session.intentStatus = 'canceled';
  if (!isCharge(session)) emit(store, payment, 'checkout.session.expired');
}
