import { useNextBookingId } from '#web/features/access/queries.ts';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/data/session.tsx';
import { Redirect, useSearchParams } from '#web/router/router.tsx';
import { Waiting } from '#web/ui/notice.tsx';

/** Redirects to /regenerate-pin with the booking id. Without an id, uses the customer's next booking. */
export default function AccessCodePage() {
  const [search] = useSearchParams();
  const { status, user } = useSession();
  const given = search.get('booking_id');
  const next = useNextBookingId(user?.id ?? null, given === null);
  if (given !== null) return <Redirect to={`/regenerate-pin?${search}`} />;
  if (status === 'loading' || next.isLoading) return <Waiting label="Looking for your session" />;
  return <Redirect to={next.data ? paths.regeneratePin(next.data) : '/regenerate-pin'} />;
}
