/** Returns a function whose promise resolves when the event loop has read everything that has arrived so far. */
export function createEndOfTurn(): () => Promise<void> {
  let turn: Promise<void> | null = null;
  return () => {
    turn ??= new Promise((resolve) =>
      setImmediate(() => {
        turn = null;
        resolve();
      }),
    );
    return turn;
  };
}
