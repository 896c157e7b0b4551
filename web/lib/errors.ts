/** What to tell people of an error; `fallback` when it has nothing fit to say. */
export function describeError(error: unknown, fallback: string): string {
  if (
    error instanceof Error &&
    error.message !== '' &&
    !/^\[?\{|fetch failed|Failed to fetch|NetworkError/.test(error.message)
  )
    return error.message;
  return fallback;
}
