/** Longer than any difference between the ways an answer can be reached, shorter than what a person notices. */
const STEP_MS = 100;

/** Answers at the next full step of time, so that how long it took does not tell whether an address has an account (promises G27). */
export async function withConstantTiming<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const took = performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(took / STEP_MS) * STEP_MS - took));
  }
}
