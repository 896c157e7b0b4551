import { ProviderError } from '#server/providers/call.ts';

/** Converts the provider's "no such resource" error to null. Rethrows other errors. */
export async function nullIfMissing<T>(lookUp: Promise<T>): Promise<T | null> {
  try {
    return await lookUp;
  } catch (error) {
    if (error instanceof ProviderError && error.reason === 'resource_missing' && !error.ambiguous) return null;
    throw error;
  }
}

/** Describes an error for the log, without its cause and without secrets. */
export function getReason(error: unknown): string {
  if (error instanceof ProviderError) return `${error.provider} ${error.reason}`;
  return error instanceof Error ? error.message : String(error);
}
