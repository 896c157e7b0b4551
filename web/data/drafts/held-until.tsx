import type { BookingDraft } from '#web/lib/drafts.ts';
import { TimeLeft } from '#web/lib/time-left.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { getEarlyHoldEnd } from './early-hold.ts';

/** Shows how long the hours of a booking are held while the ID is verified. Shows nothing if they are not held. */
export function HeldUntil({ draft }: { draft: BookingDraft }) {
  const until = getEarlyHoldEnd(draft);
  const now = useNow(1_000);
  if (until === null) return null;
  return until > now ? (
    <p className="font-semibold text-good">
      We’re holding your hours for <TimeLeft until={until} />.
    </p>
  ) : (
    <p className="font-semibold text-warn">
      We’ve stopped holding your hours. You can still book them while they’re free.
    </p>
  );
}
