import { ProviderError } from '#server/providers/call.ts';

type Failed = { readonly success: false; readonly error: string };

/** Runs a test of the lock system. A failed call is returned as the result of the test instead of being thrown. */
export async function runTrial<Found extends object>(
  work: () => Promise<Found>,
): Promise<(Found & { readonly success: true }) | Failed> {
  try {
    return { success: true, ...(await work()) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { success: false, error: error.reason };
  }
}
