/** Waits this many seconds of the simulated time. */
export const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
