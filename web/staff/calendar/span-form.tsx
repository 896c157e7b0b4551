import { type ReactNode, useState } from 'react';
import { slotClosed } from '#rules/slots.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { describeSpan, type Span, getTimes } from './span.ts';

/** The forms for chosen hours. The hours are already filled in. */
export type SpanForms = {
  readonly book: (span: Span, onBooked: (reference: string) => void, onBack: () => void) => ReactNode;
  readonly close: (
    hours: { readonly studioId: string; readonly start: Date; readonly end: Date },
    onDone: () => void,
  ) => ReactNode;
};

/** Asks what to do with the free hours that were chosen. */
export function SpanForm({
  span,
  studioName,
  forms,
  onBooked,
  onClose,
}: {
  span: Span;
  studioName: string;
  forms: SpanForms;
  onBooked: (reference: string) => void;
  onClose: () => void;
}) {
  const [doing, setDoing] = useState<'book' | 'close' | null>(null);
  const { horizonDays } = useBusiness();
  const refused = slotClosed(span.first, useNow(30_000), horizonDays);
  if (doing === 'book') return forms.book(span, onBooked, () => setDoing(null));
  if (doing === 'close') return forms.close({ studioId: span.studioId, ...getTimes(span) }, onClose);
  return (
    <div className="space-y-4">
      <p>{describeSpan(span, studioName)}. Sydney time.</p>
      {refused === null ? null : (
        <p className="text-warn">
          {refused === 'past'
            ? 'These hours have passed, so they cannot be booked.'
            : 'These hours cannot be booked yet.'}
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        {refused === null ? <Button onClick={() => setDoing('book')}>New booking</Button> : null}
        <Button tone="plain" onClick={() => setDoing('close')}>
          Close these hours
        </Button>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
