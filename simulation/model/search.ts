/**
 * Breadth-first search through all states of a model. States with the same key count as one: a model whose items are interchangeable gives
 * all states that differ only in their names the same key, which is symmetry reduction. The first violation found has the fewest steps.
 *
 * For each state the search keeps a fingerprint of 64 bits, so that two states are confused with a probability below n² / 2⁶⁵: for a
 * hundred million states, 1 in 3,000.
 */

export type Model<State, Step> = {
  readonly initial: State;
  readonly next: (state: State) => readonly { readonly step: Step; readonly state: State }[];
  readonly key: (state: State) => string;
  /** Returns the property that a state breaks; null for none. */
  readonly findViolation: (state: State) => string | null;
  /** Returns the property that a step breaks; null for none. */
  readonly findStepViolation: (before: State, after: State) => string | null;
  /** The property that a goal can still be reached from each state, by steps that happen without anyone choosing them. */
  readonly goal: {
    readonly name: string;
    readonly isReached: (state: State) => boolean;
    readonly helps: (before: State, step: Step) => boolean;
  };
};

export type Violation<Step> = { readonly name: string; readonly steps: readonly Step[] };
export type SearchResult<Step> = {
  readonly states: number;
  /** The number of steps from the initial state to the farthest state that was found. */
  readonly depth: number;
  /** Whether all reachable states were searched and none of them breaks a property. */
  readonly complete: boolean;
  /** The most steps that any state needs to reach the goal; null if the search is not complete. */
  readonly toGoal: number | null;
  readonly violation: Violation<Step> | null;
};

export type SearchOptions = {
  readonly maxStates: number;
  /** Called after each depth with the number of states found. */
  readonly onDepth?: (depth: number, states: number) => void;
};

/** Searches until a property is broken, all states are found, or there are more than `maxStates`. */
export function search<State, Step>(
  model: Model<State, Step>,
  { maxStates, onDepth }: SearchOptions,
): SearchResult<Step> {
  const found = createStates();
  /** For each state the one before it, the edges that help, and where they begin. */
  const parents = createList();
  const edges = createList();
  const starts = createList();
  const reached: number[] = [];
  const finish = (
    name: string | null,
    last: number,
    depth: number,
    more: readonly Step[] = [],
  ): SearchResult<Step> => ({
    states: found.count(),
    depth,
    complete: false,
    toGoal: null,
    violation: name === null ? null : { name, steps: [...replay(model, getPath(parents, last), found.get), ...more] },
  });
  found.add(model.key(model.initial));
  parents.push(0);
  let level = [model.initial];
  let first = 0;
  let depth = 0;
  for (; level.length > 0; depth += 1) {
    const deeper: State[] = [];
    for (const [offset, state] of level.entries()) {
      const id = first + offset;
      starts.push(edges.length());
      if (model.goal.isReached(state)) reached.push(id);
      for (const { step, state: after } of model.next(state)) {
        const target = found.add(model.key(after));
        const isNew = target === parents.length();
        if (isNew) {
          parents.push(id);
          deeper.push(after);
        }
        if (model.goal.helps(state, step)) edges.push(target);
        const name = (isNew ? model.findViolation(after) : null) ?? model.findStepViolation(state, after);
        if (name !== null) return isNew ? finish(name, target, depth + 1) : finish(name, id, depth + 1, [step]);
      }
      if (found.count() > maxStates) return finish(null, 0, depth);
    }
    first += level.length;
    level = deeper;
    onDepth?.(depth + 1, found.count());
  }
  starts.push(edges.length());
  const { stuck, most } = measureGoal(found.count(), reached, starts, edges);
  if (stuck !== null) return finish(model.goal.name, stuck, depth - 1);
  return { ...finish(null, 0, depth - 1), complete: true, toGoal: most };
}

/** Returns the first state from which the helping steps do not reach the goal, and the most steps that any other needs. */
function measureGoal(
  count: number,
  reached: readonly number[],
  starts: List,
  edges: List,
): { stuck: number | null; most: number } {
  const NONE = 255;
  const distance = new Uint8Array(count).fill(NONE);
  for (const id of reached) distance[id] = 0;
  let most = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (let id = 0; id < count; id += 1) {
      if (distance[id] !== NONE) continue;
      for (let at = starts.get(id); at < starts.get(id + 1); at += 1)
        if (distance[edges.get(at)] === most) {
          distance[id] = most + 1;
          changed = true;
          break;
        }
    }
    if (changed) most += 1;
  }
  const stuck = distance.indexOf(NONE);
  return { stuck: stuck === -1 ? null : stuck, most };
}

/** Returns the ids from the initial state to a state. */
function getPath(parents: List, last: number): number[] {
  const path = [];
  for (let id = last; id > 0; id = parents.get(id)) path.unshift(id);
  return path;
}

/** Repeats the steps along a path from the initial state, so that names stay the same in all of them. */
function replay<State, Step>(
  model: Model<State, Step>,
  path: readonly number[],
  getId: (key: string) => number | null,
): Step[] {
  let state = model.initial;
  return path.map((id) => {
    const found = model.next(state).find((candidate) => getId(model.key(candidate.state)) === id);
    if (found === undefined) throw new Error('a step of the path cannot be repeated');
    state = found.state;
    return found.step;
  });
}

type List = { push: (value: number) => void; get: (index: number) => number; length: () => number };

/** A growing list of unsigned integers of 32 bits. */
function createList(): List {
  let values = new Uint32Array(1024);
  let length = 0;
  return {
    push: (value) => {
      if (length === values.length) values = grow(values);
      values[length] = value;
      length += 1;
    },
    get: (index) => values[index] ?? 0,
    length: () => length,
  };
}

function grow(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
}

type States = { add: (key: string) => number; get: (key: string) => number | null; count: () => number };

/** The states found so far by the fingerprints of their keys, in a table with open addressing. The id of a state is its place. */
function createStates(): States {
  const high = createList();
  const low = createList();
  /** Ids plus one; zero is free. */
  let table = new Uint32Array(1 << 16);
  const print = new Uint32Array(2);
  const find = (): number => {
    const [a = 0, b = 0] = print;
    let at = a & (table.length - 1);
    for (; table[at] !== 0; at = (at + 1) & (table.length - 1)) {
      const id = (table[at] ?? 0) - 1;
      if (high.get(id) === a && low.get(id) === b) break;
    }
    return at;
  };
  const enlarge = (): void => {
    table = new Uint32Array(table.length * 2);
    for (let id = 0; id < high.length(); id += 1) {
      let at = high.get(id) & (table.length - 1);
      while (table[at] !== 0) at = (at + 1) & (table.length - 1);
      table[at] = id + 1;
    }
  };
  return {
    add: (key) => {
      writeFingerprint(key, print);
      const at = find();
      const existing = table[at] ?? 0;
      if (existing > 0) return existing - 1;
      high.push(print[0] ?? 0);
      low.push(print[1] ?? 0);
      table[at] = high.length();
      if (high.length() * 2 > table.length) enlarge();
      return high.length() - 1;
    },
    get: (key) => {
      writeFingerprint(key, print);
      const id = table[find()] ?? 0;
      return id === 0 ? null : id - 1;
    },
    count: () => high.length(),
  };
}

/** Writes two hashes of 32 bits of a text (cyrb53 by bryc, public domain, with all 64 bits). */
function writeFingerprint(text: string, print: Uint32Array): void {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  print[0] = a;
  print[1] = b;
}
