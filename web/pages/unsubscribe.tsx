import { LeaveList } from '#web/features/landing/leave-list.tsx';
import { paths } from '#web/lib/paths.ts';
import { useSearchParams } from '#web/router/router.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Target of the unsubscribe link in our news. */
export default function UnsubscribePage() {
  const [search] = useSearchParams();
  return (
    <Shell back={{ to: paths.home, label: 'Back to Home' }} title="Unsubscribe">
      <LeaveList subscription={search.get('id') ?? ''} />
    </Shell>
  );
}
