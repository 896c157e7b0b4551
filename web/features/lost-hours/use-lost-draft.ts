import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sortSlots } from '#rules/slots.ts';
import { readDays } from '#web/data/finding/availability.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { dropLost, type LostSelection, nameLost } from '#web/data/drafts/lost-hours.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { useNow } from '#web/lib/use-now.ts';
import { toast } from '#web/ui/toast.tsx';

/** Polling interval without a live connection. */
const POLL_MS = 10_000;
const TICK_MS = 15_000;

/**
 * Follows whether the hours of a draft are still free. `lost`: the lost hours, while they are taken. `recovered`: the hours were lost and are
 * free again. `paused`: true while the customer's own booking of these hours is under way.
 */
export function useLostDraft(options: { draft: BookingDraft | null; userId: string | null; paused: boolean }): {
  readonly lost: LostSelection | null;
  readonly recovered: boolean;
} {
  const { draft, userId, paused } = options;
  const now = useNow(TICK_MS);
  const { horizonDays } = useBusiness();
  const slots = sortSlots(draft?.slots.map(({ date, hour }) => ({ date, hour })) ?? []);
  const [first, last] = [slots[0], slots.at(-1)];
  const studioId = draft?.studio_id ?? '';
  const follows = draft !== null && first !== undefined && last !== undefined && !paused;
  const live = useLive(follows ? `studio:${studioId}` : null, queryKeys.availability.all);
  const days = { from: first?.date ?? '', to: last?.date ?? '' };
  const { data, dataUpdatedAt } = useQuery({
    queryKey: queryKeys.availability.of('draft', studioId, userId, days.from, days.to),
    queryFn: async () => (await readDays(studioId, days, userId)).get(studioId) ?? [],
    enabled: follows,
    refetchInterval: pollWhile(live, POLL_MS),
  });
  const note = data === undefined || paused ? '' : nameLost(dropLost(slots, data, now, horizonDays).lost);
  const of = `${studioId} ${draft?.start_time} ${draft?.end_time}`;
  const [noticed, setNoticed] = useState<{ of: string; at: number } | null>(null);
  if (note !== '' && noticed?.of !== of) setNoticed({ of, at: dataUpdatedAt });
  useEffect(() => {
    if (note !== '') toast({ title: 'Your hours are gone', description: note, tone: 'warn' });
  }, [note]);
  const isNoticed = noticed?.of === of;
  return {
    lost: note !== '' && isNoticed ? { studioId, slots, note, at: new Date(noticed.at) } : null,
    recovered: note === '' && isNoticed && !paused,
  };
}
