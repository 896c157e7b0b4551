/**
 * The protocol of holding, paying, closing, expiring, moving, ordering and waiting, as a transition function without I/O.
 *
 * A state has the rows of our database and what the payment provider knows. Each step is one transaction of ours, or one event at the
 * provider. A call and the transaction that records its answer are two steps, so each state between them is also the state after a crash
 * or a lost answer: the second step may come at once, late, or never. A step that repeats another and changes nothing, such as a webhook
 * that arrives twice, is left out. A fault switches one rule off.
 */
import type { Fault } from './faults.ts';
import * as rows from './state.ts';
import type { Booking, Session, Share, State } from './state.ts';
import type { Step, StepName, Subject } from './steps.ts';

export type Next = { readonly step: Step; readonly state: State };
type Add = (name: StepName, subject: Subject, apply: (to: State) => void) => void;
type Has = (fault: Fault) => boolean;
type Part = (s: State, add: Add, has: Has) => void;

/** Returns every step that can come next, with the state after it. */
export function next(s: State, fault: Fault | null): Next[] {
  const found: Next[] = [];
  const add: Add = (name, subject, apply) => {
    const state = rows.copyState(s);
    apply(state);
    found.push({ step: { name, ...subject }, state });
  };
  for (const part of [holding, closing, ending, settling, moving, refunding, waiting])
    part(s, add, (name) => name === fault);
  return found;
}

/** The limit of unpaid hours: an account has one unpaid hold at a time, and an order counts as one. */
const mayHold = (s: State, customer: number, except: readonly number[] = []): boolean =>
  rows.getHolds(s).every(({ id, b }) => b.customer !== customer || b.due || except.includes(id));

const holding: Part = (s, add, has) => {
  for (const customer of s.customers.keys())
    for (const slots of rows.getSpans(s.slots)) {
      const taken = rows.getTaken(s, slots).filter(({ b }) => b.confirmed || !b.due || !has('take-expired-hold'));
      const own = taken.filter(({ b }) => !b.confirmed && b.customer === customer && b.moves === null);
      const replaced = own.map(({ id }) => id);
      const areClosed = own.every(({ b }) => b.payment === 'none' || b.payment === 'closed');
      if (own.length < taken.length || !(areClosed || has('replace-before-closing'))) continue;
      // hold: One transaction replaces the customer's own holds of these hours. Their sessions are closed first, so they cannot be paid.
      if (mayHold(s, customer, replaced))
        add('hold', { customer, slots }, (to) => {
          for (const id of replaced) rows.endRow(to, id);
          to.bookings[rows.getFreeId(s)] = rows.createHold(customer, slots);
        });
    }
  const session = s.sessions.findIndex(({ at }) => at === 'unused');
  for (const { id: booking, b } of rows.getHolds(s)) {
    const mayAsk = b.payment === 'intent' && (rows.getCurrent(s, booking).length === 0 || has('new-key'));
    // time-ends: The clock alone frees no hours.
    if (!b.due) add('time-ends', { booking }, (to) => rows.change(to.bookings, booking, { due: true }));
    // request-session: The request has the key of its attempt, so that repeating it opens no second session.
    if (mayAsk && session >= 0)
      add('request-session', { booking, session }, (to) => rows.askSession(to, session, booking));
  }
};

const closing: Part = (s, add, has) => {
  for (const [session, { at, booking, shown, replaced }] of s.sessions.entries()) {
    const set = (changes: Partial<Session>) => (to: State) => rows.change(to.sessions, session, changes);
    const row = rows.getRow(s, booking);
    const waits = row !== null && !replaced && row.payment !== 'closed';
    // create-session, lose-request: A request arrives late, or never, even if the server that sent it is gone.
    if (at === 'asked') add('create-session', { session }, set({ at: 'open' }));
    if (at === 'asked') add('lose-request', { session }, (to) => rows.forgetSession(to, session));
    // record-session: The customer sees the pay page once its session is recorded, and only if its hold still waits for it.
    if ((at === 'open' || at === 'expired') && !shown && (waits || has('show-ended-hold')))
      add('record-session', { session }, (to) => {
        rows.change(to.sessions, session, { shown: true });
        if (waits && booking !== null) rows.change(to.bookings, booking, { payment: 'open' });
      });
    if (at !== 'open') continue;
    // pay: A page that was shown can be paid until the provider closes it, even in an old tab.
    if (shown) add('pay', { session }, set({ at: 'paid' }));
    const isOver = row === null || (replaced && !has('late-event'));
    const close = isOver ? (to: State) => rows.forgetSession(to, session) : set({ at: 'expired' });
    // close-session: The provider is asked before a hold ends or is replaced, and refuses if the session was paid first.
    add('close-session', { session }, close);
    // session-ends: The provider closes a session when the time of its hold is over, in case our server never does.
    if (row === null || row.due) add('session-ends', { session }, close);
  }
};

const ending: Part = (s, add, has) => {
  for (const { id: booking, b } of rows.getHolds(s)) {
    const set = (changes: Partial<Booking>) => (to: State) => rows.change(to.bookings, booking, changes);
    const current = rows.getCurrent(s, booking);
    const isUnasked = b.payment === 'intent' && current.every(({ at }) => at === 'asked');
    const isExpired = b.payment === 'open' && current.some(({ at, shown }) => shown && at === 'expired');
    // find-no-session: Reading is a separate step only with the fault, which uses the answer although the payment may have changed since.
    if (has('act-on-old-read') && isUnasked && !b.seen) add('find-no-session', { booking }, set({ seen: true }));
    // end-attempt: An attempt that cannot be paid ends alone; its hold stays until another hold or attempt replaces it.
    if (b.payment !== 'closed' && (isUnasked || isExpired || b.seen))
      add('end-attempt', { booking }, set({ payment: 'closed', seen: false }));
    // replace-attempt: The next attempt starts when the previous one cannot be paid any more, so that a hold is never paid twice.
    if (b.payment === 'closed' || (b.payment === 'open' && has('replace-before-closing')))
      add('replace-attempt', { booking }, (to) => {
        rows.change(to.bookings, booking, { payment: 'intent', due: b.due && !has('prolong-hold') });
        rows.replaceSessions(to, booking);
      });
    const canEnd = b.payment === 'none' || b.payment === 'closed' || (isUnasked && !has('release-open-only'));
    // release: The hours are free when nothing can be paid for them any more. For a claim, nothing ever could.
    if (canEnd || b.seen || (b.due && has('expire-by-clock')))
      add('release', { booking }, (to) => rows.endRow(to, booking));
  }
};

const settling: Part = (s, add, has) => {
  for (const [session, { booking: id, at, units, shown, replaced, shares }] of s.sessions.entries()) {
    const row = rows.getRow(s, id);
    const isCurrent = row !== null && !replaced;
    const canConfirm = isCurrent && row.payment !== 'closed' && (!row.outdated || has('move-without-looking'));
    // settle: The server acts on what it reads at the provider, never on what an event or a browser says.
    if (at === 'expired')
      add('settle', { session }, (to) => {
        rows.forgetSession(to, session);
        // The hold is released, unless another attempt has replaced the one that ended.
        if (id !== null && (isCurrent || has('late-event'))) rows.endRow(to, id);
      });
    if (at === 'paid' && shares.length === 0)
      add('settle', { session }, (to) => {
        // The money confirms what waits for it. If nothing does, the same transaction queues its refund.
        const kept = id !== null && canConfirm ? confirm(to, id, has) : null;
        if (id !== null && isCurrent && !canConfirm) rows.endRow(to, id);
        rows.change(to.sessions, session, { booking: null, shares: kept ?? rows.createRefund(units) });
      });
    if (at === 'open' && shown && id !== null && canConfirm && has('confirm-without-asking'))
      add('settle', { session }, (to) => void confirm(to, id, has));
  }
};

/** Confirms what a hold waits for, and returns to which booking each unit of the money belongs. */
function confirm(to: State, id: number, has: Has): Share[] {
  const { customer, slots, moves, outdated } = rows.get(to.bookings, id);
  rows.endRow(to, id);
  if (typeof moves === 'number' && !outdated) rows.moveBooking(to, moves, slots);
  if (moves !== null) return [{ booking: outdated || moves === 'ended' ? null : moves, money: 'kept' }];
  // Each slot of an order becomes a booking with its own share of the payment.
  return slots.map((slot, place) => {
    const booking = place > 0 && has('confirm-part') ? null : rows.getFreeId(to);
    if (booking !== null) to.bookings[booking] = rows.createConfirmed(customer, slot);
    return { booking, money: 'kept' };
  });
}

const moving: Part = (s, add, has) => {
  for (const { id: booking, b } of rows.getConfirmed(s))
    for (const slot of rows.getOtherSlots(s, b)) {
      const isFree = rows.getTaken(s, [slot]).every((other) => other.b.moves === booking);
      const isLost = !isFree && has('move-releases-first');
      // move: A booking moves in one transaction, so that its old hours stay its own until it has the new ones.
      if (isFree || isLost || has('move-without-lock'))
        add('move', { booking, slots: [slot] }, (to) => rows.moveBooking(to, booking, isLost ? [] : [slot]));
      const waits = rows.getHolds(s).flatMap((hold) => (hold.b.moves === booking ? [hold.id] : []));
      // hold-move: A move to dearer hours waits in a separate hold, and the payment that comes first moves the booking.
      if (isFree && waits.length < s.sessions.length - 1 && mayHold(s, b.customer, waits))
        add('hold-move', { booking, slots: [slot] }, (to) => {
          for (const id of waits) rows.change(to.bookings, id, { due: true });
          to.bookings[rows.getFreeId(s)] = rows.createHold(b.customer, [slot], { moves: booking });
        });
    }
};

const refunding: Part = (s, add, has) => {
  for (const { id: booking } of rows.getConfirmed(s))
    // cancel: The same transaction frees the hours and queues the refund of all that was paid for them.
    add('cancel', { booking }, (to) => {
      rows.endWaitingMoves(to, booking);
      rows.endRow(to, booking);
      if (!has('cancel-without-refund')) rows.queueRefund(to, booking);
    });
  for (const [session, { shares }] of s.sessions.entries())
    for (const [index, { money }] of shares.entries()) {
      const set = (result: Share['money']) => (to: State) => rows.setMoney(to, session, index, result);
      // refund: It has one key, so that repeating it after a lost answer sends nothing more.
      if (money === 'due' || (money === 'kept' && has('refund-before-cancel'))) add('refund', { session }, set('sent'));
      if (money === 'sent' && has('refund-twice')) add('refund', { session }, set('sent twice'));
      // record-refund: The refund is followed until the provider says that it has arrived.
      if (money === 'sent') add('record-refund', { session }, set('returned'));
    }
};

const waiting: Part = (s, add, has) => {
  for (const [customer, { waits, claims }] of s.customers.entries()) {
    const isFirst = claims === 0 || has('claim-again');
    for (let slot = 0; slot < s.slots; slot += 1) {
      const taken = rows.getTaken(s, [slot]);
      // join-wait-list: A customer waits for hours that others have.
      if (waits === null && isFirst && taken.length > 0 && taken.every(({ b }) => b.customer !== customer))
        add('join-wait-list', { customer, slots: [slot] }, (to) => rows.setWaits(to, customer, slot));
    }
    if (waits === null) continue;
    add('leave-wait-list', { customer }, (to) => rows.setWaits(to, customer, null));
    // claim: Freed hours are held for a customer who waits, once a day and within the limit of unpaid hours, so that no customer keeps them.
    if (rows.getTaken(s, [waits]).length === 0 && (mayHold(s, customer) || has('claim-beyond-limit')))
      add('claim', { customer, slots: [waits] }, (to) => {
        to.bookings[rows.getFreeId(s)] = rows.createHold(customer, [waits], { payment: 'none' });
        rows.change(to.customers, customer, { waits: null, claims: claims + 1 });
      });
  }
};
