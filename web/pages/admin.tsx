import { Suspense, useEffect, useState } from 'react';
import type { Permission } from '#rules/permissions.ts';
import { isStudioDate } from '#rules/studio-time.ts';
import { DeveloperLink } from '#web/staff/permissions/developer-link.tsx';
import { useStudios } from '#web/features/studios/queries.ts';
import { FactorDue } from '#web/staff/permissions/factor-due.tsx';
import { StaffGate } from '#web/staff/permissions/staff-gate.tsx';
import { may, useMayGive, usePermissions } from '#web/staff/permissions/use-permissions.ts';
import { paths, withBooking } from '#web/lib/paths.ts';
import { useNavigate, useSearchParams } from '#web/router/router.tsx';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { LoadFailed, Skeleton, Waiting } from '#web/ui/notice.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Shell } from '#web/ui/shell.tsx';
import { Tabs } from '#web/ui/tabs.tsx';

const Today = lazyPart(async () => ({ default: (await import('#web/staff/bookings/today.tsx')).Today }));
const BookingDialog = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/booking-dialog.tsx')).BookingDialog,
}));
const MoveStep = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/move-step.tsx')).MoveStep,
}));
const NewBooking = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/new-booking.tsx')).NewBooking,
}));
const SearchForm = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/search-form.tsx')).SearchForm,
}));
const DiscountCodes = lazyPart(async () => ({
  default: (await import('#web/staff/coupons/discount-codes.tsx')).DiscountCodes,
}));
const AuditLog = lazyPart(async () => ({ default: (await import('#web/staff/audit/audit-log.tsx')).AuditLog }));

const UpcomingBookings = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/upcoming-bookings.tsx')).UpcomingBookings,
}));

const Calendar = lazyPart(async () => ({ default: (await import('#web/staff/calendar/calendar.tsx')).Calendar }));
const ClosureForm = lazyPart(async () => ({
  default: (await import('#web/staff/closures/close-form.tsx')).ClosureForm,
}));
const ReopenForm = lazyPart(async () => ({
  default: (await import('#web/staff/closures/reopen-form.tsx')).ReopenForm,
}));

const Closures = lazyPart(async () => ({ default: (await import('#web/staff/closures/closures.tsx')).Closures }));

const ReviewQueue = lazyPart(async () => ({
  default: (await import('#web/staff/id-review/review-queue.tsx')).ReviewQueue,
}));

const Exports = lazyPart(async () => ({ default: (await import('#web/staff/numbers/exports.tsx')).Exports }));

const Customers = lazyPart(async () => ({
  default: (await import('#web/staff/customers/customers.tsx')).Customers,
}));
const GuestBookings = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/guest-bookings.tsx')).GuestBookings,
}));
const Prices = lazyPart(async () => ({ default: (await import('#web/staff/prices/prices.tsx')).Prices }));

const Doors = lazyPart(async () => ({ default: (await import('#web/staff/doors/doors.tsx')).Doors }));

const BookingSeries = lazyPart(async () => ({
  default: (await import('#web/staff/series/booking-series.tsx')).BookingSeries,
}));
const BookingCrew = lazyPart(async () => ({
  default: (await import('#web/staff/bookings/booking-crew.tsx')).BookingCrew,
}));
const BookingDoorLog = lazyPart(async () => ({
  default: (await import('#web/staff/doors/booking-door-log.tsx')).BookingDoorLog,
}));

const Incidents = lazyPart(async () => ({
  default: (await import('#web/staff/incidents/incidents.tsx')).Incidents,
}));

const Disputes = lazyPart(async () => ({ default: (await import('#web/staff/disputes/disputes.tsx')).Disputes }));
const Mailing = lazyPart(async () => ({ default: (await import('#web/staff/mailing/mailing.tsx')).Mailing }));

const Team = lazyPart(async () => ({ default: (await import('#web/staff/team/team.tsx')).Team }));

const CustomerMessages = lazyPart(async () => ({
  default: (await import('#web/staff/mailing/customer-messages.tsx')).CustomerMessages,
}));

const Ledger = lazyPart(async () => ({ default: (await import('#web/staff/numbers/ledger.tsx')).Ledger }));

const Numbers = lazyPart(async () => ({ default: (await import('#web/staff/numbers/numbers.tsx')).Numbers }));

const Settings = lazyPart(async () => {
  const [{ Settings: Tab }, { SitePreview }] = await Promise.all([
    import('#web/staff/settings/settings.tsx'),
    import('#web/features/landing/site-preview.tsx'),
  ]);
  return { default: () => <Tab preview={(settings) => <SitePreview settings={settings} />} /> };
});

const Rooms = lazyPart(async () => ({ default: (await import('#web/staff/rooms/rooms.tsx')).Rooms }));

/** The parts of the tabs, by key. */
const PARTS: Readonly<Record<string, { readonly fetch: () => void }>> = {
  today: Today,
  'discount-codes': DiscountCodes,
  'audit-logs': AuditLog,
  bookings: UpcomingBookings,
  calendar: Calendar,
  closures: Closures,
  doors: Doors,
  incidents: Incidents,
  customers: Customers,
  'id-review': ReviewQueue,
  prices: Prices,
  rooms: Rooms,
  settings: Settings,
  'mailing-list': Mailing,
  numbers: Numbers,
  export: Exports,
  staff: Team,
};

const TITLE = 'Admin Dashboard';
const BACK = { to: paths.home, label: 'Home' };
/** What a day needs comes first. `for`: the permission that a tab needs; all staff see those without one. */
const TABS: readonly { readonly key: string; readonly label: string; readonly for?: Permission }[] = [
  { key: 'today', label: 'Today' },
  { key: 'calendar', label: 'Calendar', for: 'bookings' },
  { key: 'bookings', label: 'Bookings', for: 'bookings' },
  { key: 'closures', label: 'Closed hours', for: 'bookings' },
  { key: 'customers', label: 'Customers', for: 'bookings' },
  { key: 'id-review', label: 'ID review', for: 'identity' },
  { key: 'doors', label: 'Doors', for: 'bookings' },
  { key: 'incidents', label: 'Incidents', for: 'bookings' },
  { key: 'prices', label: 'Prices', for: 'settings' },
  { key: 'rooms', label: 'Rooms', for: 'settings' },
  { key: 'settings', label: 'Settings', for: 'settings' },
  { key: 'discount-codes', label: 'Discount Codes', for: 'settings' },
  { key: 'audit-logs', label: 'Audit Logs', for: 'owner' },
  { key: 'mailing-list', label: 'Mailing list', for: 'settings' },
  { key: 'numbers', label: 'Numbers', for: 'money' },
  { key: 'export', label: 'Export', for: 'money' },
  { key: 'staff', label: 'Staff', for: 'owner' },
];

/** The tabs with the field that finds bookings and customers. */
const SEARCHED: readonly string[] = ['today', 'bookings', 'customers'];

/** Admin dashboard; the address holds the open tab. */
export default function AdminPage() {
  const [search] = useSearchParams();
  const [first] = useState(() => search.get('tab') ?? 'today');
  // While the permissions are read, which decide whether it is shown.
  useEffect(() => {
    PARTS[first]?.fetch();
    if (SEARCHED.includes(first)) SearchForm.fetch();
  }, [first]);
  return (
    <StaffGate title={TITLE}>
      <AdminTabs />
    </StaffGate>
  );
}

/** Shows the tabs that the account's permissions open. */
function AdminTabs() {
  const [search, setSearch] = useSearchParams();
  const permissions = usePermissions();
  const held = permissions.data;
  if (held === undefined)
    return permissions.isError ? (
      <Shell back={BACK} title={TITLE}>
        <LoadFailed title="Your permissions could not be loaded." onRetry={() => void permissions.refetch()} />
      </Shell>
    ) : (
      <Waiting label="Checking permissions..." />
    );
  const tabs = TABS.filter((tab) => tab.for === undefined || may(held, tab.for));
  const tab = tabs.find(({ key }) => key === search.get('tab'));
  const chosen = tab?.key ?? 'today';
  return (
    <Shell back={BACK} title={TITLE} wide>
      <FactorDue />
      <Tabs label="Admin" tabs={tabs} value={chosen} onChange={(key) => setSearch({ tab: key }, { replace: true })}>
        <PartBoundary what="This part" key={chosen}>
          <Suspense fallback={<Skeleton className="h-96" label="Loading" />}>
            {SEARCHED.includes(chosen) && may(held, 'bookings') ? <Search /> : null}
            {chosen === 'today' ? <TodayTab held={held} /> : null}
            {chosen === 'bookings' ? <UpcomingBookings /> : null}
            {chosen === 'calendar' ? <CalendarTab /> : null}
            {chosen === 'closures' ? <ClosuresTab /> : null}
            {chosen === 'customers' ? (
              <Customers
                words={search.get('q') ?? ''}
                mayIdentify={may(held, 'identity')}
                mayRefund={may(held, 'money')}
                messages={(userId) => <CustomerMessages userId={userId} />}
                guests={<GuestBookings words={search.get('q') ?? ''} />}
              />
            ) : null}
            {chosen === 'prices' ? <PricesTab /> : null}
            {chosen === 'rooms' ? <Rooms /> : null}
            {chosen === 'settings' ? <Settings /> : null}
            {chosen === 'incidents' ? <IncidentsTab /> : null}
            {chosen === 'doors' ? <Doors /> : null}
            {chosen === 'mailing-list' ? <Mailing /> : null}
            {chosen === 'numbers' ? <NumbersTab /> : null}
            {chosen === 'numbers' ? <Ledger /> : null}
            {chosen === 'export' ? <Exports /> : null}
            {chosen === 'staff' ? <Team /> : null}
            {chosen === 'id-review' ? <ReviewQueue /> : null}
            {chosen === 'discount-codes' ? <DiscountCodes mayGive={may(held, 'money')} /> : null}
            {chosen === 'audit-logs' ? (
              <AuditLog
                words={search.get('q') ?? ''}
                onSearch={(q) => setSearch(q === '' ? { tab: chosen } : { tab: chosen, q })}
              />
            ) : null}
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

/** The booking that the address names, on top of any tab. Fetched with the first one. */
function OpenBooking({ mayRefund }: { mayRefund: boolean }) {
  const [search, setSearch] = useSearchParams();
  const studios = useStudios();
  const reference = search.get('booking');
  const [opened, setOpened] = useState(reference !== null);
  if (reference !== null && !opened) setOpened(true);
  if (!opened) return null;
  const { booking: _, ...rest } = Object.fromEntries(search);
  return (
    <Suspense>
      <BookingDialog
        studios={studios.data ?? []}
        reference={reference}
        mayRefund={mayRefund}
        more={({ id, reference }) => (
          <Suspense>
            {mayRefund ? <Disputes bookingId={id} reference={reference} /> : null}
            <BookingSeries bookingId={id} reference={reference} mayRefund={mayRefund} />
            <BookingCrew bookingId={id} />
            <BookingDoorLog bookingId={id} />
          </Suspense>
        )}
        onClose={() => setSearch(rest, { replace: true })}
      />
    </Suspense>
  );
}

/** The address holds the day unless it is today's. */
function TodayTab({ held }: { held: ReadonlySet<Permission> }) {
  const mayGive = useMayGive();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const studios = useStudios();
  const day = search.get('day') ?? '';
  return (
    <Today
      studios={studios.data ?? []}
      may={(permission) => may(held, permission)}
      disputesOf={
        may(held, 'money')
          ? ({ id, reference }) => (
              <Suspense>
                <Disputes bookingId={id} reference={reference} />
              </Suspense>
            )
          : null
      }
      day={isStudioDate(day) ? day : null}
      onBooking={(reference) => navigate(withBooking(search, reference))}
      newBooking={(form) => (
        <Suspense>
          <NewBooking studios={studios.data ?? []} mayGive={mayGive} {...form} />
        </Suspense>
      )}
      onDay={(next) => setSearch({ tab: 'today', ...(next === null ? {} : { day: next }) }, { replace: true })}
    />
  );
}

/** The address holds the view, the day unless it is today, and the studio of a week. */
function CalendarTab() {
  const mayGive = useMayGive();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const studios = useStudios().data ?? [];
  const nameOf = (studioId: string): string => studios.find(({ id }) => id === studioId)?.name ?? '';
  const day = search.get('day') ?? '';
  return (
    <Calendar
      studios={studios}
      shown={{
        view: search.get('view') === 'week' ? 'week' : 'day',
        day: isStudioDate(day) ? day : null,
        studioId: search.get('studio'),
      }}
      onShow={(next) =>
        setSearch(
          {
            tab: 'calendar',
            view: next.view,
            ...(next.day === null ? {} : { day: next.day }),
            ...(next.studioId === null ? {} : { studio: next.studioId }),
          },
          { replace: true },
        )
      }
      onBooking={(reference) => navigate(withBooking(search, reference))}
      forms={{
        book: ({ studioId, first, hours }, onBooked, onBack) => (
          <NewBooking
            studios={studios}
            mayGive={mayGive}
            date={first.date}
            hours={{ studioId, hour: String(first.hour), hours: String(hours) }}
            onDone={onBooked}
            onBack={onBack}
          />
        ),
        close: (hours, onDone) => <ClosureForm studios={studios} hours={hours} onDone={onDone} />,
        move: ({ id, reference, studioId, start, end, email }, target, onDone) => (
          <Suspense fallback={<Skeleton className="h-40" label="Loading" />}>
            <MoveStep
              booking={{
                id,
                reference: reference ?? '',
                studioName: nameOf(studioId),
                startTime: start,
                endTime: end,
                email,
              }}
              studioName={nameOf(target.studioId)}
              target={target}
              mayRefund={mayGive}
              leave="Leave it"
              onDone={onDone}
              onBack={onDone}
            />
          </Suspense>
        ),
        reopen: ({ id, start, end, weeks }, where, onDone) => (
          <ReopenForm week={{ closureId: id, start, end }} more={weeks - 1} where={where} onDone={onDone} />
        ),
      }}
    />
  );
}

function IncidentsTab() {
  const studios = useStudios();
  return <Incidents studios={studios.data ?? []} mayRefund={useMayGive()} />;
}

function ClosuresTab() {
  const studios = useStudios();
  return <Closures studios={studios.data ?? []} />;
}

function PricesTab() {
  const studios = useStudios();
  return <Prices studios={studios.data ?? []} />;
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
