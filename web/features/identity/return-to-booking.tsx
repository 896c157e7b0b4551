import { useNavigate } from 'react-router';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { Button } from '#web/ui/button.tsx';

/** Out of an identity check: lets the booking that waits go, and begins at the hours again. */
export function ReturnToBooking() {
  const navigate = useNavigate();
  return (
    <Button
      tone="plain"
      onClick={() => {
        drafts.dropBooking();
        void navigate(paths.booking);
      }}
    >
      Return to Booking
    </Button>
  );
}
