/** The sandbox clock. At every start it begins at real time. It runs at normal speed and can be moved. */
export type Clock = {
  now(): Date;
  /** Returns how far the clock is ahead of real time, in milliseconds. */
  shift(): number;
  advance(seconds: number): void;
  set(at: Date): void;
  reset(): void;
};

export function createClock(): Clock {
  let shift = 0;
  return {
    now: () => new Date(Date.now() + shift),
    shift: () => shift,
    advance: (seconds) => void (shift += Math.round(seconds * 1000)),
    set: (at) => void (shift = at.getTime() - Date.now()),
    reset: () => void (shift = 0),
  };
}
