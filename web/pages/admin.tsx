import { Suspense } from 'react';
import { DeveloperLink } from '#web/features/staff/developer-link.tsx';
import { useStudios } from '#web/features/studios/queries.ts';
import { StaffGate } from '#web/features/staff/staff-gate.tsx';
import { paths } from '#web/lib/paths.ts';
import { useSearchParams } from '#web/router/router.tsx';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Shell } from '#web/ui/shell.tsx';
import { Tabs } from '#web/ui/tabs.tsx';

const DiscountCodes = lazyPart(async () => ({
  default: (await import('#web/features/coupons/discount-codes.tsx')).DiscountCodes,
}));
const AuditLog = lazyPart(async () => ({ default: (await import('#web/features/audit/audit-log.tsx')).AuditLog }));

const UpcomingBookings = lazyPart(async () => ({
  default: (await import('#web/features/staff/upcoming-bookings.tsx')).UpcomingBookings,
}));

const Closures = lazyPart(async () => ({ default: (await import('#web/features/closures/closures.tsx')).Closures }));

const ReviewQueue = lazyPart(async () => ({
  default: (await import('#web/features/id-review/review-queue.tsx')).ReviewQueue,
}));

const Exports = lazyPart(async () => ({ default: (await import('#web/features/exports/exports.tsx')).Exports }));

const Customers = lazyPart(async () => ({
  default: (await import('#web/features/customers/customers.tsx')).Customers,
}));

const Numbers = lazyPart(async () => ({ default: (await import('#web/features/numbers/numbers.tsx')).Numbers }));

const TITLE = 'Admin Dashboard';
const TABS = [
  { key: 'discount-codes', label: 'Discount Codes' },
  { key: 'audit-logs', label: 'Audit Logs' },
  { key: 'bookings', label: 'Bookings' },
  { key: 'closures', label: 'Closed hours' },
  { key: 'customers', label: 'Customers' },
  { key: 'id-review', label: 'ID review' },
  { key: 'numbers', label: 'Numbers' },
  { key: 'export', label: 'Export' },
] as const;

/** Admin dashboard; the address holds the open tab. */
export default function AdminPage() {
  return (
    <StaffGate title={TITLE}>
      <AdminTabs />
    </StaffGate>
  );
}

function AdminTabs() {
  const [search, setSearch] = useSearchParams();
  const chosen = TABS.find((tab) => tab.key === search.get('tab'))?.key ?? 'discount-codes';
  return (
    <Shell back={{ to: paths.home, label: 'Home' }} title={TITLE} wide>
      <Tabs label="Admin" tabs={TABS} value={chosen} onChange={(tab) => setSearch({ tab }, { replace: true })}>
        <PartBoundary what="This part" key={chosen}>
          <Suspense fallback={<Skeleton className="h-96" label="Loading" />}>
            {chosen === 'bookings' ? <UpcomingBookings /> : null}
            {chosen === 'closures' ? <ClosuresTab /> : null}
            {chosen === 'customers' ? (
              <Customers
                words={search.get('q') ?? ''}
                onSearch={(q) => setSearch(q === '' ? { tab: chosen } : { tab: chosen, q })}
              />
            ) : null}
            {chosen === 'numbers' ? <NumbersTab /> : null}
            {chosen === 'export' ? <Exports /> : null}
            {chosen === 'id-review' ? <ReviewQueue /> : null}
            {chosen === 'discount-codes' ? <DiscountCodes /> : null}
            {chosen === 'audit-logs' ? (
              <AuditLog
                words={search.get('q') ?? ''}
                onSearch={(q) => setSearch(q === '' ? { tab: chosen } : { tab: chosen, q })}
              />
            ) : null}
          </Suspense>
        </PartBoundary>
      </Tabs>
      <p className="mt-12 min-h-11">
        <DeveloperLink />
      </p>
    </Shell>
  );
}

function ClosuresTab() {
  const studios = useStudios();
  return <Closures studios={studios.data ?? []} />;
}

function NumbersTab() {
  const studios = useStudios();
  const [search, setSearch] = useSearchParams();
  return (
    <Numbers
      chosen={{ first: search.get('first'), last: search.get('last'), studioId: search.get('studio') }}
      studios={studios.data ?? []}
      onChoose={({ first, last }, studio) =>
        setSearch({ tab: 'numbers', first, last, ...(studio === null ? {} : { studio }) }, { replace: true })
      }
    />
  );
}
