/** The maximum number of attempts to change the catalogue. */
const TRIES = 10;
const PAUSE_MS = 50;

/**
 * Runs a change to the whole cluster, such as `alter role`, and retries it if the server of another database changes the same row at the
 * same moment. PostgreSQL then refuses one of the two changes, and an advisory lock would not help because it belongs to a single database.
 * Throws the last error after ten attempts, and other errors at once.
 */
export async function retryConcurrentUpdate<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await change();
    } catch (error) {
      const concurrent = error instanceof Error && error.message === 'tuple concurrently updated';
      if (!concurrent || tries === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * Math.random()));
    }
  }
}
