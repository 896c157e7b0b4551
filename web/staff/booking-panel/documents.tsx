import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { documentNumber } from '#rules/business/documents.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { saveFile } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, mailDocuments, readDocuments } from './queries.ts';

/** The tax invoices and adjustment notes of a booking, which staff can save as one file or mail to the customer. */
export function Documents({ booking }: { booking: BookingDetails }) {
  const [requestId, setRequestId] = useState(() => crypto.randomUUID());
  const file = useMutation({
    mutationFn: () => readDocuments(booking.id),
    meta: { title: 'Error', failure: 'The file could not be created. Try again.', invalidates: [] },
    onSuccess: (content) => saveFile(content, `receipt-${booking.reference}.pdf`, 'application/pdf'),
  });
  const mail = useMutation({
    mutationFn: () => mailDocuments({ bookingId: booking.id, requestId }),
    meta: { title: 'Error', failure: 'No email was sent. Try again.', invalidates: [queryKeys.staffBooking.all] },
    onSuccess: () => {
      setRequestId(crypto.randomUUID());
      toast({ title: 'Documents sent', description: booking.customer.email ?? '' });
    },
  });
  return (
    <>
      <ul>
        {booking.documents.map((document) => (
          <li key={document.number}>
            {document.kind === 'invoice' ? 'Invoice' : 'Adjustment note'} {documentNumber(document.number)},{' '}
            {formatStudioDate(document.at, 'medium')}:{' '}
            {formatMoney(document.kind === 'invoice' ? document.cents : -document.cents)}
            {document.void ? <span className="text-fog"> (void)</span> : null}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-2">
        <Button tone="quiet" busy={file.isPending} onClick={() => file.mutate()}>
          Download documents
        </Button>
        {booking.customer.email === null ? null : (
          <Button tone="quiet" busy={mail.isPending} onClick={() => mail.mutate()}>
            Email documents
          </Button>
        )}
      </div>
    </>
  );
}
