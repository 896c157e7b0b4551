import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { type BookingDraft, drafts } from '#web/lib/drafts.ts';
import { describeError, isRefused } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNavigate } from '#web/router/router.tsx';
import { beginHostedCheck } from './queries.ts';

/** Seconds until the check opens automatically. Any input stops the countdown, because the customer may want to use a photo instead. */
const REDIRECT_SECONDS = 20;

/**
 * Opens the hosted check for a booking: at once if it was `chosen`, after a countdown if `automatic`, and otherwise when `start` is called.
 * Continues to the checkout if the server has no hosted check.
 */
export function useStartCheck(options: { draft: BookingDraft | null; chosen: boolean; automatic: boolean }) {
  const { draft, chosen, automatic } = options;
  const navigate = useNavigate();
  const open = useMutation({
    mutationFn: async () => {
      const existing = drafts.verification();
      const session = existing !== null && existing.openedAt === undefined ? existing : await beginHostedCheck(draft);
      drafts.saveVerification({ ...session, openedAt: Date.now() });
      // `replace`: Back from the check skips this page.
      leaveTo(session.url, 'replace');
    },
    meta: { handled: true },
    onError: (error) => {
      if (!isRefused<'create-verification-session'>(error, 'not_configured')) return;
      navigate(paths.checkout, { replace: true, state: draft === null ? null : drafts.toState(draft) });
    },
  });
  useBackAgain(open.reset);
  const seconds = useCountdown(automatic && !chosen && open.isIdle, REDIRECT_SECONDS);
  const goesOn = chosen || seconds === 0;
  const autoContinue = useEffectEvent(() => open.mutate());
  useEffect(() => {
    if (goesOn) autoContinue();
  }, [goesOn]);
  const leaving = isRefused<'create-verification-session'>(open.error, 'not_configured');
  return {
    busy: open.isPending || open.isSuccess || leaving,
    problem: open.error && !leaving ? describeError(open.error, 'Failed to start verification') : null,
    seconds,
    start: () => open.mutate(),
  };
}

/** Counts down to 0 while `on`. Null while off and after the first input. */
function useCountdown(on: boolean, from: number): number | null {
  const [remaining, setRemaining] = useState(from);
  const [stopped, setStopped] = useState(false);
  const runs = on && !stopped && remaining > 0;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setRemaining((seconds) => seconds - 1), 1_000);
    const stop = (): void => setStopped(true);
    // The site scrolls each new page to its top. The scroll event may arrive after the page has appeared.
    const stopIfScrolled = (): void => (window.scrollY > 0 ? stop() : undefined);
    const signs = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;
    for (const sign of signs) window.addEventListener(sign, stop, { passive: true });
    window.addEventListener('scroll', stopIfScrolled, { passive: true });
    return () => {
      clearInterval(timer);
      for (const sign of signs) window.removeEventListener(sign, stop);
      window.removeEventListener('scroll', stopIfScrolled);
    };
  }, [runs]);
  return on && !stopped ? remaining : null;
}
