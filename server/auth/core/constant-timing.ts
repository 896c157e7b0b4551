/** A step is longer than the difference between any two code paths, and too short for people to notice. */
const STEP_MS = 100;

/** Delays the result to the next full step, so that response time does not reveal whether an address has an account. */
export async function withConstantTiming<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(took / STEP_MS) * STEP_MS - took));
  }
}
