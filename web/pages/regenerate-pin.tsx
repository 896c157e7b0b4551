import { AccessRefused } from '#web/features/access/access-refused.tsx';
import { PinPanel } from '#web/features/access/pin-panel.tsx';
import { useAccessCode } from '#web/features/access/use-access-code.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Shows the access code of the booking in the address. */
export default function RegeneratePinPage() {
  const [search] = useSearchParams();
  const bookingId = search.get('booking_id') ?? '';
  const token = search.get('token');
  const valid = ID.test(bookingId);
  const access = useAccessCode(bookingId, token, valid);
  if (!valid) return <NoBooking />;
  if (access.data) return <PinPanel access={access.data} token={token} />;
  if (!access.isError) return <Waiting label="Getting your code" />;
  return <AccessRefused error={access.error} onRetry={() => void access.refetch()} />;
}

function NoBooking() {
  return (
    <Shell back={{ to: paths.home, label: 'Home' }} title="Invalid Request">
      <Notice tone="bad">
        <p>No booking ID provided. Please use the link from your booking confirmation email.</p>
      </Notice>
      <Link to={paths.profile} className={`${buttonStyle.plain} mt-6`}>
        Your bookings
      </Link>
    </Shell>
  );
}
