import { TestBookings } from '#web/staff/developer/test-bookings.tsx';
import { Frame } from './frame.tsx';

export default function TestBookingSystemPage() {
  return (
    <Frame
      title="Test bookings"
      lead="One-hour bookings that start soon. They block the room until you end them, and nothing is charged."
    >
      <TestBookings />
    </Frame>
  );
}
