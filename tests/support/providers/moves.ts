import type { Dispute, Refund } from '#server/providers/ports.ts';
import {
  addRefund,
  book,
  emit,
  endRefund,
  expire,
  getRemainingCents,
  newId,
  type Mutable,
  type Store,
  type StoredPayment,
} from './store.ts';

/** The actions of customers, banks and people at the provider. */
export type ProviderMove =
  | 'pay'
  | 'card declined'
  | 'bank asks'
  | 'delay'
  | 'delay succeeds'
  | 'delay fails'
  | 'delay is canceled'
  | 'expire'
  | 'refund part'
  | 'refund all'
  | 'refund part later'
  | 'dispute'
  | 'inquiry'
  | 'dispute won'
  | 'dispute lost'
  | 'refund succeeds'
  | 'refund fails'
  | 'refund is canceled';

const ANSWER_MS = 20 * 86_400_000;

/** Whether a move is possible in the payment's present state. */
export function canMove({ session, refunds, disputes, input }: StoredPayment, move: ProviderMove): boolean {
  const paid = session.paymentStatus === 'paid';
  const last = refunds.at(-1)?.status;
  const underWay = refunds.some(isUnderWay);
  const disputed = disputes.some(blocksRefunds);
  switch (move) {
    case 'pay':
    case 'card declined':
    case 'bank asks':
    case 'expire':
      return session.status === 'open';
    case 'delay':
      return session.status === 'open' && input?.allowDelayed !== false;
    case 'delay succeeds':
    case 'delay fails':
    case 'delay is canceled':
      return session.intentStatus === 'processing';
    case 'refund part':
    case 'refund part later':
    case 'refund all':
      return paid && !disputed && session.refundedCents < session.amountCents;
    case 'refund succeeds':
    case 'refund is canceled':
      return underWay;
    case 'refund fails':
      return underWay || last === 'succeeded';
    case 'dispute':
    case 'inquiry':
      return paid && !disputes.some(({ status }) => status === 'open');
    case 'dispute won':
    case 'dispute lost':
      return disputes.at(-1)?.status === 'open';
  }
}

/** Throws if a move is not possible, because a test that relies on it would test an impossible case. */
export function requirePossible(payment: StoredPayment, move: ProviderMove): void {
  const { status, paymentStatus, intentStatus } = payment.session;
  if (!canMove(payment, move))
    throw new Error(
      `'${move}' cannot happen to a session that is ${status}, ${paymentStatus} and ${intentStatus ?? 'without payment'}`,
    );
}

/** Makes a move, possible or not. */
export function makeMove(store: Store, payment: StoredPayment, move: ProviderMove): void {
  switch (move) {
    case 'pay':
    case 'card declined':
    case 'bank asks':
    case 'delay':
      return payOnPage(store, payment, move);
    case 'delay succeeds':
    case 'delay fails':
    case 'delay is canceled':
      return endDelay(store, payment, move);
    case 'expire':
      return expire(store, payment);
    case 'refund part':
    case 'refund part later':
    case 'refund all':
      return refundThere(store, payment, move);
    case 'refund succeeds':
    case 'refund fails':
    case 'refund is canceled':
      return endARefund(store, payment, move);
    case 'dispute':
    case 'inquiry':
      return openDispute(store, payment, move === 'inquiry');
    case 'dispute won':
    case 'dispute lost':
      return endDispute(store, payment, move);
  }
}

function payOnPage(store: Store, payment: StoredPayment, move: 'pay' | 'card declined' | 'bank asks' | 'delay'): void {
  const { session } = payment;
  session.paymentIntentId ??= newId('pi');
  if (move === 'card declined' || move === 'bank asks') {
    // The session stays open, and the customer can try to pay again.
    session.intentStatus = move === 'bank asks' ? 'requires_action' : 'requires_payment_method';
    if (move === 'card declined') decline(store, payment);
    return;
  }
  Object.assign(session, { status: 'complete', url: null, intentStatus: 'processing' });
  if (move === 'pay') take(store, payment);
  emit(store, payment, 'checkout.session.completed');
}

/** Declines the card of a payment. The customer can try to pay again. */
export function decline(store: Store, payment: StoredPayment): void {
  payment.session.decline = { attempt: newId('ch'), code: 'generic_decline', message: 'Your card was declined.' };
  emit(store, payment, 'payment_intent.payment_failed');
}

/** Takes the money of a payment. */
export function take(store: Store, { session }: StoredPayment): void {
  Object.assign(session, { paymentStatus: 'paid', intentStatus: 'succeeded', decline: null });
  book(store, 'payment', { id: session.paymentIntentId ?? '', amountCents: session.amountCents, original: true });
}

function endDelay(
  store: Store,
  payment: StoredPayment,
  move: 'delay succeeds' | 'delay fails' | 'delay is canceled',
): void {
  if (move === 'delay succeeds') {
    take(store, payment);
    return emit(store, payment, 'checkout.session.async_payment_succeeded');
  }
  payment.session.intentStatus = move === 'delay fails' ? 'requires_payment_method' : 'canceled';
  emit(store, payment, 'checkout.session.async_payment_failed');
}

function refundThere(
  store: Store,
  payment: StoredPayment,
  move: 'refund part' | 'refund part later' | 'refund all',
): void {
  const amountCents =
    move === 'refund all'
      ? getRemainingCents(payment)
      : Math.min(Math.floor(payment.session.amountCents / 4), getRemainingCents(payment));
  const status = move === 'refund part later' ? 'pending' : 'succeeded';
  addRefund(store, payment, { amountCents, key: null, status });
}

const ENDS = { 'refund succeeds': 'succeeded', 'refund fails': 'failed', 'refund is canceled': 'canceled' } as const;

const isUnderWay = ({ status }: Refund): boolean => status === 'pending' || status === 'requires_action';

/** Ends the last pending refund, or the last refund if none is pending. */
function endARefund(store: Store, payment: StoredPayment, move: keyof typeof ENDS): void {
  const refund: Mutable<Refund> | undefined = payment.refunds.findLast(isUnderWay) ?? payment.refunds.at(-1);
  if (refund) endRefund(store, payment, refund, ENDS[move]);
}

/** Whether a dispute keeps the provider from making refunds. An inquiry does not, because its money has not moved. */
export const blocksRefunds = ({ status, providerStatus }: Dispute): boolean =>
  status !== 'won' && !providerStatus.startsWith('warning_');

function openDispute(store: Store, payment: StoredPayment, isInquiry: boolean): void {
  const { session, disputes } = payment;
  const now = store.clock();
  const id = newId('du');
  session.disputed = true;
  disputes.push({
    id,
    status: 'open',
    createdAt: now,
    providerStatus: isInquiry ? 'warning_needs_response' : 'needs_response',
    needsResponse: true,
    reason: 'fraudulent',
    amountCents: session.amountCents,
    dueAt: new Date(now.getTime() + ANSWER_MS),
  });
  if (!isInquiry) book(store, 'dispute', { id, amountCents: -session.amountCents, original: true });
  emit(store, payment, 'charge.dispute.created', id);
}

function endDispute(store: Store, payment: StoredPayment, move: 'dispute won' | 'dispute lost'): void {
  const last = payment.disputes.at(-1);
  if (!last) return;
  const status = move === 'dispute won' ? 'won' : 'lost';
  const moved = !last.providerStatus.startsWith('warning_');
  Object.assign(last, { status, providerStatus: status, needsResponse: false });
  if (status === 'won' && moved)
    book(store, 'dispute', { id: last.id, amountCents: last.amountCents, original: false });
  emit(store, payment, 'charge.dispute.closed', last.id);
}
