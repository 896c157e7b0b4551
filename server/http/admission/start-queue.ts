/** Starts work now or in a later turn of the event loop. */
export type StartQueue = {
  /** Adds work. Lower ranks start first. Returns a function that removes work that has not started. */
  add(rank: number, start: () => void): () => void;
};

/** Duration of a turn of the event loop after which it starts no more work, in milliseconds. */
const TURN_MS = 2;
/** Every eighth start goes to the work that has waited longest, so that low ranks are not starved. */
const PATIENCE = 8;

type Work = { readonly start: () => void; readonly number: number };

/**
 * Starts work immediately while the current turn of the event loop is short, and the rest in later turns, urgent work first. Between the
 * turns the loop reads new requests, so that refused requests do not wait for all accepted ones.
 */
export function createStartQueue(
  ranks: number,
  now: () => number,
  nextTurn: (run: () => void) => void = (run) => void setImmediate(run),
): StartQueue {
  const waiting: Set<Work>[] = Array.from({ length: ranks }, () => new Set());
  let added = 0;
  let starts = 0;
  /** When this turn began, or null if no work has started in it. */
  let began: number | null = null;
  const mayStart = (): boolean => {
    if (began === null) {
      began = now();
      nextTurn(startWaiting);
    }
    return now() - began < TURN_MS;
  };
  const next = (): Work | undefined => {
    const first = waiting.map((lane) => lane.values().next().value).filter((work) => work !== undefined);
    if (starts % PATIENCE === PATIENCE - 1) first.sort((a, b) => a.number - b.number);
    return first[0];
  };
  const startWaiting = (): void => {
    began = null;
    for (let work = next(); work && mayStart(); work = next()) {
      starts += 1;
      for (const lane of waiting) lane.delete(work);
      work.start();
    }
  };
  return {
    add(rank, start) {
      if (mayStart()) {
        start();
        return () => undefined;
      }
      added += 1;
      const work = { start, number: added };
      waiting[rank]?.add(work);
      return () => void waiting[rank]?.delete(work);
    },
  };
}
