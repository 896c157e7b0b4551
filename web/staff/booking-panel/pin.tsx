import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioTime } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ConfirmStep } from './confirm-step.tsx';
import { type BookingDetails, readPin } from './queries.ts';

/** Shows the PIN of a booking to staff, and makes a new one. The digits are dropped when the panel closes. */
export function PinPart({ booking }: { booking: BookingDetails }) {
  const now = useNow(30_000);
  const [renewing, setRenewing] = useState(false);
  const pin = useMutation({
    mutationFn: (method: 'GET' | 'POST') => readPin(booking.id, method),
    meta: { handled: true },
    gcTime: 0,
    onSuccess: () => setRenewing(false),
  });
  const problem = pin.error === null ? null : describeError(pin.error, 'Check your connection.');
  if (booking.endTime <= now) return null;
  if (renewing)
    return (
      <ConfirmStep
        button="Generate new PIN"
        busy={pin.isPending}
        problem={problem}
        onConfirm={() => pin.mutate('POST')}
        onBack={() => {
          pin.reset();
          setRenewing(false);
        }}
      >
        <p>The customer’s current PIN stops working. They see the new one on their page.</p>
      </ConfirmStep>
    );
  return (
    <section aria-label="PIN" className="space-y-3">
      {problem === null ? null : (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      )}
      <div aria-live="polite">
        {pin.data === undefined ? null : pin.data.held ? (
          <p>The PIN is on hold because a payment is disputed. Decide about the booking on the Today tab.</p>
        ) : pin.data.pin === null ? (
          <p>
            {pin.data.releaseAt > now
              ? `The PIN will be available from ${formatStudioTime(pin.data.releaseAt)}, Sydney time.`
              : 'The lock has not answered yet. Try again in a moment.'}
          </p>
        ) : (
          <p>
            <strong className="text-2xl tracking-widest">{pin.data.pin}</strong> works from{' '}
            {formatStudioTime(pin.data.worksFrom)} to {formatStudioTime(pin.data.worksUntil)}, Sydney time.{' '}
            {pin.data.codesLeft} new PINs left.
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" busy={pin.isPending} onClick={() => pin.mutate('GET')}>
          Show PIN
        </Button>
        <Button tone="plain" disabled={pin.isPending} onClick={() => setRenewing(true)}>
          Generate new PIN
        </Button>
      </div>
      <p className="text-sm text-fog">The audit log records who views or generates a PIN.</p>
    </section>
  );
}
