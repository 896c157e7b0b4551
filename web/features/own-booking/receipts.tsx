import { useMutation } from '@tanstack/react-query';
import { documentNumber } from '#rules/business/documents.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { saveFile } from '#web/data/fetch-client.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { type BookingPage, readReceipt } from './queries.ts';

/** The documents of a booking, as one file to keep. */
export function Receipts({ booking }: { booking: BookingPage }) {
  const registered = useBusiness().abn !== '';
  const file = useMutation({
    mutationFn: async (format: 'html' | 'pdf') => ({ format, content: await readReceipt(booking.id, format) }),
    meta: { handled: true, invalidates: [] },
    onSuccess: ({ format, content }) =>
      saveFile(content, `receipt-${booking.reference}.${format}`, format === 'pdf' ? 'application/pdf' : 'text/html'),
  });
  const names = {
    invoice: registered ? 'Tax invoice' : 'Receipt',
    adjustment: registered ? 'Adjustment note' : 'Refund',
  };
  return (
    <section aria-labelledby="receipts">
      <h2 id="receipts" className="text-2xl">
        {registered ? 'Tax invoice' : 'Receipt'}
      </h2>
      <ul className="mt-3 text-fog">
        {booking.documents.map(({ number, kind, cents, at }) => (
          <li key={number}>
            {names[kind]} {documentNumber(number)}, {formatStudioDate(at, 'medium')}:{' '}
            {formatMoney(kind === 'invoice' ? cents : -cents)}
          </li>
        ))}
      </ul>
      <div className="mt-4 flex flex-wrap gap-3">
        <Button tone="plain" busy={file.isPending && file.variables === 'pdf'} onClick={() => file.mutate('pdf')}>
          PDF
        </Button>
        <Button tone="plain" busy={file.isPending && file.variables === 'html'} onClick={() => file.mutate('html')}>
          Web page
        </Button>
      </div>
      {file.isError ? (
        <p role="alert" className="mt-3 text-sm text-bad">
          {describeError(file.error, 'We couldn’t make the file. Please try again.')}
        </p>
      ) : null}
    </section>
  );
}
