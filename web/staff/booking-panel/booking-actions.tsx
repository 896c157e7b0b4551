import { useMutation } from '@tanstack/react-query';
import { slotsOfSpan } from '#rules/slots.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, type MailKind, markNoShow, sendMailAgain } from './queries.ts';
import { leftCents } from './money-words.ts';

/** The actions that open their own step. */
export type Doing = 'cancel' | 'refund' | 'move' | 'extend' | 'call-off' | 'mark-paid';

/** The actions that staff can take on a booking now. */
export function Actions({
  booking,
  mayRefund,
  onDo,
}: {
  booking: BookingDetails;
  mayRefund: boolean;
  onDo: (what: Doing) => void;
}) {
  const now = useNow(30_000);
  const running = booking.endTime > now;
  const confirmed = booking.status === 'confirmed' && running;
  const hasAddress = booking.customer.email !== null;
  return (
    <div className="flex flex-wrap gap-3">
      {confirmed && hasAddress ? (
        <>
          <MailButton booking={booking} mail="access-code">
            Resend code
          </MailButton>
          <MailButton booking={booking} mail="booking-confirmed">
            Resend confirmation
          </MailButton>
        </>
      ) : null}
      {confirmed ? (
        <>
          <Button tone="plain" onClick={() => onDo('move')}>
            Move booking
          </Button>
          {/* The hours of a test booking might not match the grid. */}
          {slotsOfSpan(booking.startTime, booking.endTime) === null ? null : (
            <Button tone="plain" onClick={() => onDo('extend')}>
              Change end time
            </Button>
          )}
        </>
      ) : null}
      {booking.status === 'confirmed' && booking.startTime <= now && booking.notes !== 'test' ? (
        <NoShowButton booking={booking} />
      ) : null}
      {mayRefund && booking.openLink ? (
        <Button tone="plain" onClick={() => onDo('mark-paid')}>
          Mark as paid
        </Button>
      ) : null}
      {booking.waiting === null ? null : (
        <Button tone="plain" onClick={() => onDo('call-off')}>
          Cancel move
        </Button>
      )}
      {mayRefund && leftCents(booking) > 0 ? (
        <Button tone="plain" onClick={() => onDo('refund')}>
          Issue partial refund
        </Button>
      ) : null}
      {running && booking.status !== 'cancelled' ? (
        <Button tone="danger" onClick={() => onDo('cancel')}>
          Cancel booking
        </Button>
      ) : null}
    </div>
  );
}

const SENT: Readonly<Record<MailKind, string>> = {
  'access-code': 'Code resent',
  'booking-confirmed': 'Confirmation resent',
};

function MailButton({ booking, mail, children }: { booking: BookingDetails; mail: MailKind; children: string }) {
  const send = useMutation({
    mutationFn: () => sendMailAgain(booking.id, mail),
    meta: { title: 'Error', failure: 'No email was sent. Try again.', invalidates: [queryKeys.staffBooking.all] },
    onSuccess: () => toast({ title: SENT[mail], description: booking.customer.email ?? '' }),
  });
  return (
    <Button tone="plain" busy={send.isPending} onClick={() => send.mutate()}>
      {children}
    </Button>
  );
}

/** Records that the customer did not come, or undoes that. No email is sent. */
function NoShowButton({ booking }: { booking: BookingDetails }) {
  const mark = useMutation({
    mutationFn: (missed: boolean) => markNoShow(booking.id, missed),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.staffBooking.all] },
    onSuccess: (_done, missed) =>
      toast({
        title: missed
          ? `${booking.reference} is marked as a no-show`
          : `${booking.reference} is no longer marked as a no-show`,
        description: 'No email was sent.',
        ms: 10_000,
        action: { label: 'Undo', onPress: () => mark.mutate(!missed) },
      }),
  });
  return (
    <Button tone="plain" busy={mark.isPending} onClick={() => mark.mutate(booking.noShow === null)}>
      {booking.noShow === null ? 'Mark as no-show' : 'Undo no-show'}
    </Button>
  );
}
