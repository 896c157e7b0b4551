/**
 * The key of a state. Customers and slots are interchangeable, and so are the ids of rows and the places of sessions: states that differ
 * only in these have the same key, which comes from the smallest of all renamings.
 */
import type { Booking, Session, Share, State } from './state.ts';

const PAYMENTS = ['none', 'intent', 'open', 'closed', 'paid'] as const;
const AT = ['unused', 'asked', 'open', 'paid', 'expired'] as const;
const MONEY = ['kept', 'due', 'sent', 'returned', 'sent twice'] as const;
/** Exceeds the number of customers, slots, rows and sessions of any state. */
const MANY = 16;
const SHARES = MANY * MONEY.length;

/** New names of customers or slots, by their old ones, and the old ones in the order of the new ones. */
type Renaming = { readonly names: readonly number[]; readonly order: readonly number[] };

/** Returns the function that gives the states of a size their keys. */
export function createKey(customers: number, slots: number): (state: State) => string {
  const [allCustomers, allSlots] = [getRenamings(customers), getRenamings(slots)];
  return (state) => {
    const traits = getTraits(state);
    let smallest: number[] | null = null;
    // Only the renamings that sort customers and slots by their traits are compared, which is seldom more than one.
    for (const ofCustomers of allCustomers) {
      if (!isSorted(traits.customers, ofCustomers)) continue;
      for (const ofSlots of allSlots) {
        if (!isSorted(traits.slots, ofSlots)) continue;
        const codes = toCodes(state, ofCustomers.names, ofSlots.names);
        if (smallest === null || isSmaller(codes, smallest)) smallest = codes;
      }
    }
    // Each code has 32 bits, and a character 16.
    let key = '';
    for (const code of smallest ?? []) key += String.fromCharCode(code >>> 16, code & 0xffff);
    return key;
  };
}

/** Returns a number for each customer and each slot that does not depend on their names. */
function getTraits({ customers, slots, bookings }: State): { customers: number[]; slots: number[] } {
  const [ofCustomers, ofSlots]: [number[], number[]] = [[], []];
  for (let slot = 0; slot < slots; slot += 1) ofSlots.push(0);
  for (const { waits, claims } of customers) {
    ofCustomers.push(claims * 2 + Number(waits !== null));
    if (waits !== null) ofSlots[waits] = (ofSlots[waits] ?? 0) + 1;
  }
  for (const row of bookings) {
    if (row === null) continue;
    // A prime spreads the codes, because the sums of small numbers are often equal.
    const weight = (((toRowState(row) * MANY + row.slots.length) * 7919) % 1_000_003) * MANY;
    ofCustomers[row.customer] = (ofCustomers[row.customer] ?? 0) + weight;
    for (const slot of row.slots) ofSlots[slot] = (ofSlots[slot] ?? 0) + weight;
  }
  return { customers: ofCustomers, slots: ofSlots };
}

/** Returns whether the traits are in ascending order of the new names. */
function isSorted(traits: readonly number[], { order }: Renaming): boolean {
  for (let place = 1; place < order.length; place += 1)
    if ((traits[order[place - 1] ?? 0] ?? 0) > (traits[order[place] ?? 0] ?? 0)) return false;
  return true;
}

function isSmaller(a: readonly number[], b: readonly number[]): boolean {
  for (let index = 0; index < a.length; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Writes a state with new names as integers: the customers, the rows in the order of their contents, and the sessions in theirs. */
function toCodes(
  { customers, bookings, sessions }: State,
  ofCustomers: readonly number[],
  ofSlots: readonly number[],
): number[] {
  const codes: number[] = [];
  for (let customer = 0; customer < customers.length; customer += 1) codes.push(0);
  for (let customer = 0; customer < customers.length; customer += 1) {
    const { waits, claims } = customers[customer] ?? { waits: null, claims: 0 };
    codes[ofCustomers[customer] ?? 0] = claims * MANY + (waits === null ? 0 : (ofSlots[waits] ?? 0) + 1);
  }
  const firstRow = codes.length;
  for (let id = 0; id < bookings.length; id += 1) {
    const row = bookings[id];
    if (row) insert(codes, toRowCode(row, ofCustomers, ofSlots) * MANY + id, firstRow);
  }
  // The place of a row in this order takes the place of its id.
  const ranks: number[] = [];
  for (let at = firstRow; at < codes.length; at += 1) ranks[(codes[at] ?? 0) % MANY] = at - firstRow + 1;
  for (let at = firstRow; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    codes[at] = code - (code % MANY) + getRank(ranks, bookings[code % MANY]?.moves);
  }
  const firstSession = codes.length;
  for (let index = 0; index < sessions.length; index += 1) {
    const session = sessions[index];
    if (session) insert(codes, toSessionCode(session, ranks), firstSession);
  }
  return codes;
}

const getRank = (ranks: readonly number[], id: number | 'ended' | null | undefined): number =>
  typeof id === 'number' ? (ranks[id] ?? 0) : 0;

/** Inserts a code in order after the codes before `first`. */
function insert(codes: number[], code: number, first: number): void {
  let at = codes.length;
  for (; at > first && (codes[at - 1] ?? 0) > code; at -= 1) codes[at] = codes[at - 1] ?? 0;
  codes[at] = code;
}

function toRowState({ moves, outdated, confirmed, due, seen, payment }: Booking): number {
  const kind = moves === null ? 0 : outdated ? 1 : 2;
  const flags = (Number(confirmed) * 2 + Number(due)) * 2 + Number(seen);
  return (kind * PAYMENTS.length + PAYMENTS.indexOf(payment)) * 8 + flags;
}

function toRowCode(row: Booking, ofCustomers: readonly number[], ofSlots: readonly number[]): number {
  let mask = 0;
  for (const slot of row.slots) mask |= 1 << (ofSlots[slot] ?? 0);
  return (toRowState(row) * MANY + (ofCustomers[row.customer] ?? 0)) * MANY + mask;
}

function toSessionCode({ at, booking, units, shown, replaced, shares }: Session, ranks: readonly number[]): number {
  const flags = (Number(shown) * 2 + Number(replaced)) * 2 + Number(shares.length > 0);
  const state = ((AT.indexOf(at) * 8 + flags) * 4 + units) * MANY + getRank(ranks, booking);
  const [first, second] = [toShareCode(shares[0], ranks), toShareCode(shares[1], ranks)];
  return (state * SHARES + Math.min(first, second)) * SHARES + Math.max(first, second);
}

const toShareCode = (share: Share | undefined, ranks: readonly number[]): number =>
  share === undefined ? 0 : getRank(ranks, share.booking) * MONEY.length + MONEY.indexOf(share.money);

/** Returns all renamings of `count` items. */
const getRenamings = (count: number): Renaming[] =>
  getOrders(count).map((order) => ({ order, names: order.map((_, item) => order.indexOf(item)) }));

/** Returns all orders of the numbers below `count`. */
function getOrders(count: number): number[][] {
  if (count === 0) return [[]];
  return getOrders(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, place) => order.toSpliced(place, 0, count - 1)),
  );
}
