import { PinDigits } from '#web/features/access/code-board.tsx';
import { GuestView } from '#web/features/crew/guest-view.tsx';
import { PictureOfRoom } from '#web/features/studios/picture-of-room.tsx';
import { useLocation } from '#web/router/router.tsx';

/** Target of the link that invites a guest to a booking. The token is in the fragment, which no log records. */
export default function CrewPage() {
  const { hash } = useLocation();
  const token = hash.replace(/^#/, '');
  return (
    <GuestView
      key={token}
      token={token}
      showPin={(pin) => <PinDigits pin={pin} />}
      picture={(room) => <PictureOfRoom name={room} />}
    />
  );
}
