import { useEffect } from 'react';
import type { StudioDate } from '#rules/studio-time.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { LoadFailed } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useStudios } from './queries.ts';
import { StudioCards, StudioCardsSkeleton } from './studio-cards.tsx';

const FAILED = 'Failed to load studios. Please refresh the page.';

/** Shows the studios to choose from, or that they could not be loaded. */
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
  const choose = useStable(onChoose);
  useEffect(() => {
    if (studios.isError) toast({ title: FAILED, tone: 'bad' });
  }, [studios.isError]);
  if (studios.isError) return <LoadFailed title={FAILED} onRetry={() => void studios.refetch()} />;
  return studios.data ? (
    <StudioCards studios={studios.data} today={today} chosen={chosen} onChoose={choose} />
  ) : (
    <StudioCardsSkeleton />
  );
}
