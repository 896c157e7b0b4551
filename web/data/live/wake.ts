/** Time for which a hidden page keeps its connection. */
const HIDDEN_MS = 30_000;
/** Interval of the check for sleep. If the clock jumps by more than `SLEPT_MS`, the device has slept. */
const TICK_MS = 5_000;
const SLEPT_MS = 20_000;

/**
 * Reports when a page stops needing updates (`rest`: it was hidden for a while, frozen or left) and when it needs them again (`wake`).
 * `slept`: the device slept or its network changed, so the connection may be dead without having noticed.
 */
export function watchWake(on: {
  readonly rest: () => void;
  readonly wake: (slept: boolean) => void;
  readonly offline: () => void;
}): void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let seen = Date.now();
  const slept = (): boolean => {
    const away = Date.now() - seen;
    seen = Date.now();
    return away > SLEPT_MS;
  };
  const rest = (): void => {
    clearTimeout(hiding);
    on.rest();
  };
  const wake = (): void => {
    clearTimeout(hiding);
    if (document.visibilityState === 'visible') on.wake(slept());
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') return wake();
    hiding = setTimeout(rest, HIDDEN_MS);
  });
  // The page is shown again after Back, or the browser had frozen it.
  addEventListener('pageshow', ({ persisted }) => persisted && wake());
  document.addEventListener('resume', wake);
  document.addEventListener('freeze', rest);
  addEventListener('pagehide', rest);
  addEventListener('online', () => on.wake(true));
  addEventListener('offline', on.offline);
  // Closing a laptop does not hide its pages.
  setInterval(() => {
    if (document.visibilityState !== 'visible') return void (seen = Date.now());
    return slept() ? on.wake(true) : undefined;
  }, TICK_MS);
}
