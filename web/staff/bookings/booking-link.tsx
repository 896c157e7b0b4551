import { withBooking } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';

/** Opens a booking on top of the page. */
export function BookingLink({ reference }: { reference: string }) {
  const [search] = useSearchParams();
  return (
    <Link
      to={withBooking(search, reference)}
      className="inline-flex min-h-11 items-center underline decoration-edge underline-offset-4 hover:text-signal"
    >
      {reference}
    </Link>
  );
}
