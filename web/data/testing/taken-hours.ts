import type { Taken } from '../finding/taken.ts';
import { answerRows, type SentRequest } from './wire.ts';

/**
 * From now on, these hours of each studio are taken: by other customers, by `userId` if they are `mine`, or closed. Like the server,
 * answers only with the rows that the request asks for.
 */
export function answerTaken(hours: Readonly<Record<string, readonly Taken[]>>, userId: string | null = null): void {
  const spans = Object.entries(hours).flatMap(([studio, list]) =>
    list.map(({ start, end, status, mine, processing = false }, place) => ({
      id: `${studio} ${place}`,
      studio_id: studio,
      start_time: start.toISOString(),
      end_time: end.toISOString(),
      status,
      user_id: mine ? userId : null,
      processing,
    })),
  );
  const isClosed = ({ status }: (typeof spans)[number]): boolean => status === 'closed';
  answerRows('bookings', ({ search }: SentRequest) => spans.filter((span) => !isClosed(span) && isAsked(span, search)));
  answerRows('closed_hours', ({ search }: SentRequest) =>
    spans.filter((span) => isClosed(span) && isAsked(span, search)),
  );
  answerRows(
    'booking_payments',
    spans.filter(({ processing }) => processing).map(({ id }) => ({ booking_id: id })),
  );
}

type Span = { readonly studio_id: string; readonly start_time: string; readonly end_time: string };

/** Whether a request asks for this studio and for a time in this span. */
function isAsked({ studio_id: studio, start_time: start, end_time: end }: Span, search: URLSearchParams): boolean {
  const [operator = '', list = ''] = search.get('studio_id')?.split(/\.(.*)/) ?? [];
  const studios = operator === 'in' ? list.slice(1, -1).split(',') : [list];
  const passes = (column: string, value: string): boolean =>
    search.getAll(column).every((filter) => {
      const [name, limit = ''] = filter.split(/\.(.*)/);
      return name === 'gte' ? value >= limit : name === 'lt' ? value < limit : name === 'gt' ? value > limit : false;
    });
  return studios.includes(studio) && passes('start_time', start) && passes('end_time', end);
}
