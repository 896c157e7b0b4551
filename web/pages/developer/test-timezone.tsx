import { TimezoneTest } from '#web/staff/developer/timezone-test.tsx';
import { useSearchParams } from '#web/router/router.tsx';
import { Frame } from './frame.tsx';

export default function TestTimezonePage() {
  const [search, setSearch] = useSearchParams();
  return (
    <Frame title="Timezone test" lead="Compares Sydney time in our rules, in this browser and in the database.">
      <TimezoneTest
        bookingId={search.get('booking_id') ?? ''}
        onBooking={(id) => setSearch(id === '' ? {} : { booking_id: id }, { replace: true })}
      />
    </Frame>
  );
}
