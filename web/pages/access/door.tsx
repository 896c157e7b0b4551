import { AccessRefused } from '#web/features/access/access-refused.tsx';
import { DoorHelp } from '#web/features/access/door-help.tsx';
import { DoorScreen } from '#web/features/access/door-screen.tsx';
import type { Access } from '#web/features/access/queries.ts';
import { useAccessCode } from '#web/features/access/use-access-code.ts';
import { useOfflineDoor } from '#web/features/access/use-offline-door.ts';
import { bigButton } from '#web/features/session/big-button.ts';
import { SessionPanel } from '#web/features/session/session-panel.tsx';
import { errorCode } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useSession } from '#web/data/session.tsx';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { Waiting } from '#web/ui/notice.tsx';

/** “I’m here”: the access code for a customer at the door. Works without a network too. */
export default function DoorPage() {
  const { name } = useBusiness();
  const [search] = useSearchParams();
  const { status } = useSession();
  const bookingId = search.get('booking_id') ?? '';
  const token = search.get('token');
  const access = useAccessCode(bookingId, token, bookingId !== '');
  const kept = useOfflineDoor(bookingId, access.data);
  // If the server refuses, the kept copy is not shown, because the code may have changed or no longer belong to this customer. The copy is
  // only shown if the server could not be reached.
  const away = access.isError && errorCode(access.error) !== 'offline';
  const shown = access.data ?? (away ? null : kept);
  const online = access.data !== undefined && !access.isError;
  if (shown)
    return (
      <>
        <title>{`At the door · ${name}`}</title>
        <DoorScreen
          access={shown}
          offline={!online}
          back={paths.regeneratePin(bookingId, token)}
          session={
            <SessionPanel session={toSession(shown, token)} online={online}>
              {online && status === 'in' ? (
                <Link to={`${paths.ownBooking(shown.booking.reference)}#something-wrong`} className={bigButton}>
                  Report a problem
                </Link>
              ) : null}
            </SessionPanel>
          }
        >
          <DoorHelp access={shown} token={token} />
        </DoorScreen>
      </>
    );
  if (access.isError) return <AccessRefused error={access.error} onRetry={() => void access.refetch()} />;
  return bookingId === '' ? (
    <AccessRefused
      error={new Error('No booking ID provided. Please use the link from your booking confirmation email.')}
      onRetry={() => undefined}
    />
  ) : (
    <Waiting label="Getting your code" />
  );
}

const toSession = ({ booking }: Access, token: string | null) => ({
  id: booking.id,
  token,
  start: new Date(booking.start_time),
  end: new Date(booking.end_time),
});
