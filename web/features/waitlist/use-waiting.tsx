import { type ReactNode, Suspense, useState } from 'react';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';

const WaitDialog = lazyPart(async () => ({ default: (await import('./wait-dialog.tsx')).WaitDialog }));

/** The hour that is proposed if the customer has not pressed one. */
const EVENING = 19;

type Room = { readonly id: string; readonly name: string };

/** Provides the dialog of the wait list. It opens when the customer wants taken hours. */
export function useWaiting({
  date,
  lost = [],
  userId,
  now,
}: {
  date: StudioDate;
  /** Hours that the customer has just lost. The dialog proposes them. */
  lost?: readonly Slot[];
  userId: string | null;
  now: Date;
}): {
  readonly dialog: ReactNode;
  /** `slot`: null proposes the lost hours, or an evening hour of the day that is shown. */
  readonly waitFor: (room: Room | null, slot: Slot | null) => void;
} {
  const [request, setRequest] = useState<{ readonly room: Room; readonly first: Slot; readonly count: number } | null>(
    null,
  );
  const dialog = request ? (
    <PartBoundary what="The wait list">
      <Suspense>
        <WaitDialog
          studio={request.room}
          first={request.first}
          count={request.count}
          userId={userId}
          now={now}
          onClose={() => setRequest(null)}
        />
      </Suspense>
    </PartBoundary>
  ) : null;
  const proposal = { first: lost[0] ?? { date, hour: EVENING }, count: Math.max(1, lost.length) };
  const waitFor = (room: Room | null, slot: Slot | null): void =>
    setRequest(room && { room, ...(slot === null ? proposal : { first: slot, count: 1 }) });
  return { dialog, waitFor };
}
