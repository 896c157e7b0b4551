import { useEffect, useMemo } from 'react';
import { cheapestHourCents } from '#rules/pricing.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { LoadFailed } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useStudios } from './queries.ts';
import { StudioCards } from './studio-cards.tsx';

const FAILED = 'Failed to load studios. Please refresh the page.';

/** Shows the studios to choose from, initially as they came with the page. If they could not be loaded, shows that instead. */
export function StudioChoice({
  today,
  chosen,
  onChoose,
}: {
  today: StudioDate;
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const studios = useStudios();
  const given = useRooms();
  const rooms = useMemo(
    () =>
      studios.data?.map((studio) => ({
        ...studio,
        photo: studio.photos[0] ?? null,
        fromCents: cheapestHourCents(today, studio.rates),
      })) ?? given,
    [studios.data, given, today],
  );
  const choose = useStable(onChoose);
  useEffect(() => {
    if (studios.isError) toast({ title: FAILED, tone: 'bad' });
  }, [studios.isError]);
  if (studios.isError) return <LoadFailed title={FAILED} onRetry={() => void studios.refetch()} />;
  return <StudioCards studios={rooms} chosen={chosen} onChoose={choose} />;
}
