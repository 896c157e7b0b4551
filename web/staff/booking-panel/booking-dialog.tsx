import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import type { StudioName } from './hours-form.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Actions, type Doing } from './booking-actions.tsx';
import { BookingFacts } from './booking-facts.tsx';
import { CancelForm } from './cancel-form.tsx';
import { ExtendForm } from './extend-form.tsx';
import { CallOffStep, MarkPaidStep } from './hold-steps.tsx';
import { MoveForm } from './move-form.tsx';
import { type BookingDetails, readBooking } from './queries.ts';
import { Notes } from './notes.tsx';
import { PinPart } from './pin.tsx';
import { RefundForm } from './refund-form.tsx';

/** Shows everything about the booking with this reference, with the actions of staff. The dialog is closed if `reference` is null. */
export function BookingDialog({
  reference,
  studios,
  mayRefund,
  more,
  onClose,
}: {
  reference: string | null;
  studios: readonly StudioName[];
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
  /** Renders what other parts of the back office know about the booking. */
  more?: ((booking: BookingDetails) => ReactNode) | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={reference !== null}
      title={reference === null ? 'Booking' : `Booking ${reference.toUpperCase()}`}
      wide
      onClose={onClose}
    >
      {reference === null ? null : (
        <Panel key={reference} reference={reference} studios={studios} mayRefund={mayRefund} more={more} />
      )}
    </Dialog>
  );
}

function Panel({
  reference,
  studios,
  mayRefund,
  more,
}: {
  reference: string;
  studios: readonly StudioName[];
  mayRefund: boolean;
  more?: ((booking: BookingDetails) => ReactNode) | undefined;
}) {
  useLive('staff', queryKeys.staffBooking.all);
  const read = useQuery({
    queryKey: queryKeys.staffBooking.of(reference),
    queryFn: () => readBooking(reference),
    refetchInterval: 60_000,
  });
  const [doing, setDoing] = useState<Doing | null>(null);
  return (
    <Loaded query={read} what="the booking" why={describeLoadError} skeleton="h-96">
      {(data) => {
        if (data === null)
          return (
            <Notice tone="warn">
              <p>There is no booking with this reference.</p>
            </Notice>
          );
        const back = (): void => setDoing(null);
        if (doing === 'extend') return <ExtendForm booking={data} mayRefund={mayRefund} onDone={back} />;
        if (doing === 'call-off' && data.waiting !== null)
          return <CallOffStep booking={data} waiting={data.waiting} onDone={back} />;
        if (doing === 'mark-paid') return <MarkPaidStep booking={data} onDone={back} />;
        if (doing === 'cancel') return <CancelForm booking={data} mayRefund={mayRefund} onDone={back} />;
        if (doing === 'move') return <MoveForm booking={data} studios={studios} mayRefund={mayRefund} onDone={back} />;
        if (doing === 'refund') return <RefundForm booking={data} onDone={back} />;
        return (
          <div className="space-y-6">
            <BookingFacts booking={data} />
            {data.status === 'confirmed' ? <PinPart booking={data} /> : null}
            <Notes booking={data} />
            {more?.(data)}
            <Actions booking={data} mayRefund={mayRefund} onDo={setDoing} />
          </div>
        );
      }}
    </Loaded>
  );
}
