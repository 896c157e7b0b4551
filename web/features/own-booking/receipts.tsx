import { useMutation } from '@tanstack/react-query';
import { documentNumber } from '#rules/business/documents.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { saveFile, showFile } from '#web/data/fetch-client.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { type BookingPage, readReceipt } from './queries.ts';

const TYPES = { html: 'text/html', pdf: 'application/pdf' } as const;

/** The documents of a booking, as a PDF file or as a page in a new tab. */
export function Receipts({ booking }: { booking: BookingPage }) {
  const registered = useBusiness().abn !== '';
  const file = useMutation({
    // The press itself must open the tab, because browsers block tabs that are opened later, when the answer arrives.
    mutationFn: async ({ format, tab }: { format: 'html' | 'pdf'; tab: Window | null }) => {
      const content = await readReceipt(booking.id, format).catch((error: unknown) => {
        tab?.close();
        throw error;
      });
      if (tab !== null) showFile(content, tab, 'text/html');
      else saveFile(content, `receipt-${booking.reference}.${format}`, TYPES[format]);
    },
    meta: { handled: true, invalidates: [] },
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
        <Button
          tone="plain"
          busy={file.isPending && file.variables.format === 'pdf'}
          onClick={() => file.mutate({ format: 'pdf', tab: null })}
        >
          PDF
        </Button>
        <Button
          tone="plain"
          busy={file.isPending && file.variables.format === 'html'}
          onClick={() => file.mutate({ format: 'html', tab: window.open('', '_blank') })}
        >
          Web page
        </Button>
      </div>
      <Failure action={file} text="We couldn’t make the file. Please try again." className="mt-3 text-sm text-bad" />
    </section>
  );
}
