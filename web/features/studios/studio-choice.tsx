import { useEffect } from 'react';
import { useStable } from '#web/lib/use-stable.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useStudios } from './queries.ts';
import { StudioCards, StudioCardsSkeleton } from './studio-cards.tsx';

const FAILED = 'Failed to load studios. Please refresh the page.';

/** Shows the studios to choose from, or that they could not be loaded. */
export function StudioChoice({ chosen, onChoose }: { chosen: string | null; onChoose: (id: string) => void }) {
  const studios = useStudios();
  const choose = useStable(onChoose);
  useEffect(() => {
    if (studios.isError) toast({ title: FAILED, tone: 'bad' });
  }, [studios.isError]);
  if (studios.isError)
    return (
      <Notice tone="bad">
        <p>{FAILED}</p>
        <Button tone="plain" className="mt-3" onClick={() => void studios.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  return studios.data ? (
    <StudioCards studios={studios.data} chosen={chosen} onChoose={choose} />
  ) : (
    <StudioCardsSkeleton />
  );
}
