import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { describeMailRefusal, isSentAfterCancellation, titleOfJob } from '#rules/alerts/jobs.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, resendMail } from './queries.ts';

type SentMail = BookingDetails['mails'][number];

/**
 * Lists the mails about a booking. A mail can be sent again if its content is still true. For a cancelled booking, pending mails that will
 * never be sent are left out.
 */
export function Mails({ booking }: { booking: BookingDetails }) {
  const mails = booking.mails.filter(
    ({ kind, sentAt }) => sentAt !== null || booking.status !== 'cancelled' || isSentAfterCancellation(kind),
  );
  if (mails.length === 0) return 'None';
  return (
    <ul className="space-y-2">
      {mails.map((mail) => (
        <li key={mail.id} className="flex flex-wrap items-center justify-between gap-x-4">
          <span>
            {titleOfJob(mail.kind)}: {describeTime(mail)}
            {mail.problem === null ? null : <span className="text-bad"> {mail.problem}</span>}
          </span>
          {mail.refusal === null ? (
            <Again booking={booking} mail={mail} />
          ) : mail.sentAt === null || mail.refusal === 'queued' ? null : (
            <span className="text-sm text-fog">Can’t resend: {describeMailRefusal(mail.refusal)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function describeTime({ sentAt, dueAt }: SentMail): string {
  const at = sentAt ?? dueAt;
  return `${sentAt === null ? 'due' : 'sent'} ${formatStudioDateTime(at)}`;
}

function Again({ booking, mail: { id, kind } }: { booking: BookingDetails; mail: SentMail }) {
  const [requestId, setRequestId] = useState(() => crypto.randomUUID());
  const send = useMutation({
    mutationFn: () => resendMail({ bookingId: booking.id, mailId: id, requestId }),
    meta: { title: 'Error', failure: 'No email was sent. Try again.', invalidates: [queryKeys.staffBooking.all] },
    onSuccess: () => {
      setRequestId(crypto.randomUUID());
      toast({ title: 'Email resent', description: booking.customer.email ?? '' });
    },
  });
  return (
    <Button tone="quiet" aria-label={`Resend: ${titleOfJob(kind)}`} busy={send.isPending} onClick={() => send.mutate()}>
      Resend email
    </Button>
  );
}
