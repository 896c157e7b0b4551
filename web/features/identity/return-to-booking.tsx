import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';

/** Leaves the identity check: removes the pending booking and returns to the booking page. */
export function ReturnToBooking() {
  const navigate = useNavigate();
  return (
    <Button
      tone="plain"
      onClick={() => {
        drafts.removeBooking();
        navigate(paths.booking);
      }}
    >
      Return to Booking
    </Button>
  );
}
