/**
 * The key of a state. Customers and slots are interchangeable, and so are the ids of rows and the places of sessions: states that differ
 * only in these have the same key, which comes from the smallest of all renamings.
 */
import type { Booking, Session, Share, State } from './state.ts';

const PAYMENTS = ['none', 'intent', 'open', 'closed', 'paid'] as const;
const AT = ['unused', 'asked', 'open', 'paid', 'expired'] as const;
const MONEY = ['kept', 'due', 'sent', 'returned', 'sent twice'] as const;
/** More than a state has customers, slots, rows or sessions. */
const MANY = 16;
const SHARES = MANY * MONEY.length;

/** New names of the customers and of the slots, by their old ones. */
type Renaming = { readonly customers: readonly number[]; readonly slots: readonly number[] };

/** Returns the function that gives the states of a size their keys. */
export function createKey(customers: number, slots: number): (state: State) => string {
  const renamings = getPermutations(customers).flatMap((ofCustomers) =>
    getPermutations(slots).map((ofSlots): Renaming => ({ customers: ofCustomers, slots: ofSlots })),
  );
  return (state) => {
    const traits = getTraits(state);
    let smallest: number[] = [];
    for (const renaming of renamings) {
      // Only the renamings that sort customers and slots by their traits are compared, which is seldom more than one.
      if (!isSorted(traits.customers, renaming.customers) || !isSorted(traits.slots, renaming.slots)) continue;
      const codes = toCodes(state, renaming);
      if (smallest.length === 0 || isSmaller(codes, smallest)) smallest = codes;
    }
    // Each code has 32 bits, and a character 16.
    let key = '';
    for (const code of smallest) key += String.fromCharCode(code >>> 16, code & 0xffff);
    return key;
  };
}

/** Returns a number for each customer and each slot that does not depend on their names. */
function getTraits({ customers, slots, bookings }: State): { customers: number[]; slots: number[] } {
  const ofCustomers = customers.map(({ waits, claims }) => claims * 2 + Number(waits !== null));
  const ofSlots = Array.from({ length: slots }, () => 0);
  for (const { waits } of customers) if (waits !== null) ofSlots[waits] = (ofSlots[waits] ?? 0) + 1;
  for (const row of bookings) {
    if (row === null) continue;
    // A prime spreads the codes, because the sums of small numbers are often equal.
    const weight = ((toRowState(row) * MANY + row.slots.length) * 7919) % 1_000_003;
    ofCustomers[row.customer] = (ofCustomers[row.customer] ?? 0) + weight * MANY;
    for (const slot of row.slots) ofSlots[slot] = (ofSlots[slot] ?? 0) + weight * MANY;
  }
  return { customers: ofCustomers, slots: ofSlots };
}

/** Returns whether the traits are in ascending order of the new names. */
function isSorted(traits: readonly number[], names: readonly number[]): boolean {
  for (let one = 0; one < traits.length; one += 1)
    for (let other = 0; other < traits.length; other += 1)
      if ((names[one] ?? 0) < (names[other] ?? 0) && (traits[one] ?? 0) > (traits[other] ?? 0)) return false;
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
function toCodes({ customers, bookings, sessions }: State, renaming: Renaming): number[] {
  const codes: number[] = [];
  for (let customer = 0; customer < customers.length; customer += 1) codes.push(0);
  for (let customer = 0; customer < customers.length; customer += 1) {
    const { waits, claims } = customers[customer] ?? { waits: null, claims: 0 };
    codes[renaming.customers[customer] ?? 0] = claims * MANY + (waits === null ? 0 : (renaming.slots[waits] ?? 0) + 1);
  }
  const firstRow = codes.length;
  for (let id = 0; id < bookings.length; id += 1) {
    const row = bookings[id];
    if (row) insert(codes, toRowCode(row, renaming) * MANY + id, firstRow);
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

function toRowCode(row: Booking, renaming: Renaming): number {
  let mask = 0;
  for (const slot of row.slots) mask |= 1 << (renaming.slots[slot] ?? 0);
  return (toRowState(row) * MANY + (renaming.customers[row.customer] ?? 0)) * MANY + mask;
}

function toSessionCode({ at, booking, units, shown, replaced, shares }: Session, ranks: readonly number[]): number {
  const flags = (Number(shown) * 2 + Number(replaced)) * 2 + Number(shares.length > 0);
  const state = ((AT.indexOf(at) * 8 + flags) * 4 + units) * MANY + getRank(ranks, booking);
  const [one, two] = [toShareCode(shares[0], ranks), toShareCode(shares[1], ranks)];
  return (state * SHARES + Math.min(one, two)) * SHARES + Math.max(one, two);
}

const toShareCode = (share: Share | undefined, ranks: readonly number[]): number =>
  share === undefined ? 0 : getRank(ranks, share.booking) * MONEY.length + MONEY.indexOf(share.money);

/** Returns all orders of the numbers below `count`. */
function getPermutations(count: number): number[][] {
  if (count === 0) return [[]];
  return getPermutations(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, place) => order.toSpliced(place, 0, count - 1)),
  );
}
