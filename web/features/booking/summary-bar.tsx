import { ChevronUp } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioHours } from '#rules/studio-time.ts';
import { Frozen } from '#web/lib/use-stable.ts';
import { Progress } from '#web/ui/progress.tsx';
import { BookNow, WORDS } from './summary-foot.tsx';

/** The selection in one row along the lower edge of a phone: hours and price, which open the details, and Book Now. */
export function SummaryBar({
  span,
  totalCents,
  terms,
  busy,
  open,
  details,
  onToggle,
  onBook,
}: {
  span: { readonly start: Date; readonly end: Date };
  /** Null while the price is unknown. */
  totalCents: number | null;
  /** Until when the booking can be cancelled for a refund. */
  terms: string;
  busy: boolean;
  /** Whether the details are shown. */
  open: boolean;
  /** Id of the element with the details. */
  details: string;
  onToggle: () => void;
  onBook: () => void;
}) {
  const id = useId();
  return (
    <div className={`hidden items-center justify-between gap-3 bar:flex ${open ? 'mt-2' : ''}`}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={details}
        onClick={onToggle}
        className="min-h-12 min-w-0 grow text-left"
      >
        <Frozen on={busy}>
          <Words span={span} price={totalCents === null ? '…' : formatMoney(totalCents)}>
            <ChevronUp
              aria-hidden="true"
              className={`size-4 shrink-0 transition-transform ${open ? 'rotate-180' : ''}`}
            />
          </Words>
        </Frozen>
        <span id={id} className="block text-[0.6875rem] leading-[0.875rem] text-fog">
          {busy ? <Progress on words={WORDS} /> : terms}
        </span>
      </button>
      <BookNow busy={busy} disabled={totalCents === null} describedBy={id} className="" onBook={onBook} />
    </div>
  );
}

/** Formats hours and price: "8–10 pm · $138". */
function Words({
  span,
  price,
  children,
}: {
  span: { readonly start: Date; readonly end: Date };
  price: string;
  children: ReactNode;
}) {
  return (
    <span className="flex items-center gap-1.5 leading-5 font-extrabold tabular-nums">
      {formatStudioHours(span.start, span.end)} <span aria-hidden="true">·</span> {price}
      <span className="sr-only">, details</span>
      {children}
    </span>
  );
}
