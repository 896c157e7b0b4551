import { useEffect } from 'react';
import { OwnEntries } from '#web/features/waitlist/own-entries.tsx';
import { AccountNav } from '#web/features/account/account-nav.tsx';
import { OwnBookings } from '#web/features/account/own-bookings.tsx';
import { PictureOfRoom } from '#web/features/studios/picture-of-room.tsx';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Button } from '#web/ui/button.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.home, label: 'Back to Home' };
const TITLE = 'Your bookings';

/** Shows the signed-in customer's bookings. */
export default function BookingsPage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  useEffect(() => {
    if (status === 'out') open('sign-in');
  }, [status, open]);

  if (status === 'loading') return <Waiting label="One moment" />;
  if (!user) {
    return (
      <Shell back={BACK} title={TITLE} lead={<p>Sign in to see your bookings.</p>}>
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title={TITLE} lead={<p>All times are Sydney time.</p>}>
      <AccountNav current={paths.bookings} />
      <OwnEntries held userId={user.id} />
      <OwnBookings userId={user.id} picture={(room) => <PictureOfRoom name={room} />} />
      <OwnEntries userId={user.id} />
    </Shell>
  );
}
