import { useState } from 'react';
import { describeMinor } from '#rules/identity.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { decisionDay } from './decision-day.ts';
import { IdDialog } from './id-dialog.tsx';
import { type IdStatus, useIdStatus } from './status-query.ts';

/** Shows whether the ID of an account is verified, and offers the dialog that verifies it. */
export function IdStatusPart({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false);
  const status = useIdStatus(userId);
  const close = (): void => setOpen(false);
  return (
    <>
      <Loaded query={status} what="your ID status" skeleton="h-24">
        {(current) => <Shown status={current} onVerify={() => setOpen(true)} />}
      </Loaded>
      <IdDialog open={open} onClose={close} onVerified={close} />
    </>
  );
}

function Shown({ status, onVerify }: { status: IdStatus; onVerify: () => void }) {
  const now = useNow(60_000);
  const { email } = useBusiness();
  const day = status.decidedBy === null ? null : decisionDay(status.decidedBy, now);
  if (status.verifiedUntil !== null)
    return (
      <Notice tone="good">
        <p className="font-semibold">Verified until {formatStudioDate(status.verifiedUntil)}</p>
      </Notice>
    );
  // The result is final: no other photo or check can change it.
  if (status.adultOn !== null)
    return (
      <Notice tone="warn">
        <p>{describeMinor(status.adultOn, email)}</p>
      </Notice>
    );
  if (status.decidedBy !== null)
    return (
      <div className="space-y-4">
        <Notice tone="warn">
          <p className="font-semibold">Someone on our team is checking your ID</p>
          <p className="mt-1 text-sm text-fog">
            {day === null ? 'Sorry, this is taking longer than we said.' : `You’ll have an answer by ${day}.`} You don’t
            have to wait: take another photo, or use the online check.
          </p>
        </Notice>
        <Button tone="plain" onClick={onVerify}>
          Verify ID
        </Button>
      </div>
    );
  return (
    <div className="space-y-4">
      <p className="text-fog">Not verified yet. You need an Australian driver licence before your first session.</p>
      <Button onClick={onVerify}>Verify ID</Button>
    </div>
  );
}
