/** How often a change of the catalogue is tried. */
const TRIES = 10;
const PAUSE_MS = 50;

/**
 * Runs a change of the whole cluster, such as `alter role`, again while another database's server changes the same row at the same moment:
 * PostgreSQL refuses one of the two, and an advisory lock would be each database's own. Throws the last error after ten tries, and other errors at once.
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
