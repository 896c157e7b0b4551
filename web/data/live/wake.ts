/** A hidden page keeps its connection this long. */
const HIDDEN_MS = 30_000;
/** A clock that jumps by more has slept. */
const TICK_MS = 5_000;
const SLEPT_MS = 20_000;

/**
 * Reports when a page stops needing updates (`rest`: hidden for a while, frozen, left) and when it needs them again (`wake`). `slept`: the connection
 * may be dead without knowing it: the device slept, or its network changed.
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
  // A page that is shown again after Back, or that the browser had frozen.
  addEventListener('pageshow', ({ persisted }) => persisted && wake());
  document.addEventListener('resume', wake);
  document.addEventListener('freeze', rest);
  addEventListener('pagehide', rest);
  addEventListener('online', () => on.wake(true));
  addEventListener('offline', on.offline);
  // A laptop that is closed does not hide its pages.
  setInterval(() => {
    if (document.visibilityState !== 'visible') return void (seen = Date.now());
    return slept() ? on.wake(true) : undefined;
  }, TICK_MS);
}
