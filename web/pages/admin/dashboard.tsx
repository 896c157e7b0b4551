import { Suspense, useEffect, useState } from 'react';
import type { StaffRight } from '#rules/permissions.ts';
import { DeveloperLink } from '#web/staff/permissions/developer-link.tsx';
import { FactorDue } from '#web/staff/permissions/factor-due.tsx';
import { StaffGate } from '#web/staff/permissions/staff-gate.tsx';
import { may } from '#web/staff/permissions/use-staff-rights.ts';
import { paths, withBooking } from '#web/lib/paths.ts';
import { useNavigate, useSearchParams } from '#web/router/router.tsx';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Shell } from '#web/ui/shell.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { OpenBooking } from './open-booking-part.tsx';
import { SECTIONS } from './sections-part.tsx';

const SearchForm = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/search-form.tsx')).SearchForm,
}));

const TITLE = 'Admin Dashboard';
const BACK = { to: paths.home, label: 'Home' };

/** The admin dashboard. The address contains the open tab. */
export default function AdminPage() {
  const [search] = useSearchParams();
  const [first] = useState(() => search.get('tab') ?? 'today');
  // The section is fetched while the permissions are read, which decide whether it is shown.
  useEffect(() => {
    const section = SECTIONS.find(({ key }) => key === first);
    section?.part.fetch();
    if (section?.searched) SearchForm.fetch();
  }, [first]);
  return <StaffGate title={TITLE}>{(held) => <AdminTabs held={held} />}</StaffGate>;
}

/** Shows the tabs for which the account has permissions. */
function AdminTabs({ held }: { held: ReadonlySet<StaffRight> }) {
  const [search, setSearch] = useSearchParams();
  const sections = SECTIONS.filter(({ for: right }) => right === undefined || may(held, right));
  const section = sections.find(({ key }) => key === search.get('tab')) ?? sections[0];
  if (section === undefined) return null;
  return (
    <Shell back={BACK} title={TITLE} wide>
      <FactorDue />
      <Tabs
        label="Admin"
        tabs={sections}
        value={section.key}
        onChange={(key) => setSearch({ tab: key }, { replace: true })}
      >
        <PartBoundary what="This part" key={section.key}>
          <Suspense fallback={<Skeleton className="h-96" label="Loading" />}>
            {section.searched && may(held, 'bookings') ? <Search /> : null}
            {section.show({ held, words: search.get('q') ?? '', setSearch })}
          </Suspense>
        </PartBoundary>
      </Tabs>
      {may(held, 'bookings') ? <OpenBooking mayRefund={may(held, 'money')} /> : null}
      <p className="mt-12 min-h-11">
        <DeveloperLink />
      </p>
    </Shell>
  );
}

function Search() {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const words = search.get('q') ?? '';
  return (
    <SearchForm
      key={words}
      words={words}
      onBooking={(reference) => navigate(withBooking(search, reference))}
      onCustomers={(q) => setSearch({ tab: 'customers', ...(q === '' ? {} : { q }) })}
    />
  );
}
