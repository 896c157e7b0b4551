import { TestBookings } from '#web/staff/developer/test-bookings.tsx';
import { Frame } from './frame.tsx';

export default function TestBookingSystemPage() {
  return (
    <Frame
      title="Test bookings"
      lead="Bookings of one hour that begin soon. They take the room until they are ended, and nothing is charged."
    >
      <TestBookings />
    </Frame>
  );
}
