/** Lets somebody wait, while time passes for everybody. */
export const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
