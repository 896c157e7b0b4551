import { type ReactNode, Suspense } from 'react';
import type { StaffRight } from '#rules/permissions.ts';
import { isStudioDate } from '#rules/studio-time.ts';
import { useStudios } from '#web/features/studios/queries.ts';
import { may, useMayGive } from '#web/staff/permissions/use-staff-rights.ts';
import { withBooking } from '#web/lib/paths.ts';
import { useNavigate, useSearchParams } from '#web/router/router.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { lazyPart } from '#web/ui/load-part.ts';

const Today = lazyPart(async () => ({ default: (await import('#web/staff/bookings/today.tsx')).Today }));

const MoveStep = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/move-step.tsx')).MoveStep,
}));

const NewBooking = lazyPart(async () => ({
  default: (await import('#web/staff/booking-panel/new-booking.tsx')).NewBooking,
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

const Incidents = lazyPart(async () => ({
  default: (await import('#web/staff/incidents/incidents.tsx')).Incidents,
}));

export const Disputes = lazyPart(async () => ({
  default: (await import('#web/staff/disputes/disputes.tsx')).Disputes,
}));

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

/** The input of a section: the permissions of the account, and the query of the address. */
type Opened = {
  readonly held: ReadonlySet<StaffRight>;
  readonly words: string;
  readonly setSearch: ReturnType<typeof useSearchParams>[1];
};
type Section = {
  /** The name of the section in the address. */
  readonly key: string;
  readonly label: string;
  /** The permission or right that the section requires. All staff see a section without one. */
  readonly for?: StaffRight;
  /** Whether the section has the field that finds bookings and customers. */
  readonly searched?: true;
  /** The code of the section. It is fetched while the permissions are read. */
  readonly part: { readonly fetch: () => void };
  readonly show: (opened: Opened) => ReactNode;
};

/** The sections of the dashboard. Those for the daily work come first. */
export const SECTIONS: readonly Section[] = [
  { key: 'today', label: 'Today', searched: true, part: Today, show: ({ held }) => <TodayTab held={held} /> },
  { key: 'calendar', label: 'Calendar', for: 'bookings', part: Calendar, show: () => <CalendarTab /> },
  {
    key: 'bookings',
    label: 'Bookings',
    for: 'bookings',
    searched: true,
    part: UpcomingBookings,
    show: () => <UpcomingBookings />,
  },
  { key: 'closures', label: 'Closed hours', for: 'bookings', part: Closures, show: () => <ClosuresTab /> },
  {
    key: 'customers',
    label: 'Customers',
    for: 'bookings',
    searched: true,
    part: Customers,
    show: ({ held, words }) => (
      <Customers
        words={words}
        mayIdentify={may(held, 'identity')}
        mayRefund={may(held, 'money')}
        messages={(userId) => <CustomerMessages userId={userId} />}
        guests={<GuestBookings words={words} />}
      />
    ),
  },
  { key: 'id-review', label: 'ID review', for: 'identity', part: ReviewQueue, show: () => <ReviewQueue /> },
  { key: 'doors', label: 'Doors', for: 'bookings', part: Doors, show: () => <Doors /> },
  { key: 'incidents', label: 'Incidents', for: 'bookings', part: Incidents, show: () => <IncidentsTab /> },
  { key: 'prices', label: 'Prices', for: 'settings', part: Prices, show: () => <PricesTab /> },
  { key: 'rooms', label: 'Rooms', for: 'settings', part: Rooms, show: () => <Rooms /> },
  { key: 'settings', label: 'Settings', for: 'settings', part: Settings, show: () => <Settings /> },
  {
    key: 'discount-codes',
    label: 'Discount Codes',
    for: 'settings',
    part: DiscountCodes,
    show: ({ held }) => <DiscountCodes mayGive={may(held, 'money')} />,
  },
  {
    key: 'audit-logs',
    label: 'Audit Logs',
    for: 'audit_log',
    part: AuditLog,
    show: ({ words, setSearch }) => (
      <AuditLog words={words} onSearch={(q) => setSearch({ tab: 'audit-logs', ...(q === '' ? {} : { q }) })} />
    ),
  },
  { key: 'mailing-list', label: 'Mailing list', for: 'settings', part: Mailing, show: () => <Mailing /> },
  {
    key: 'numbers',
    label: 'Numbers',
    for: 'money',
    part: Numbers,
    show: () => (
      <>
        <NumbersTab />
        <Ledger />
      </>
    ),
  },
  { key: 'export', label: 'Export', for: 'money', part: Exports, show: () => <Exports /> },
  { key: 'staff', label: 'Staff', for: 'owner', part: Team, show: () => <Team /> },
];

/** The address contains the day, unless it is today. */
function TodayTab({ held }: { held: ReadonlySet<StaffRight> }) {
  const mayGive = useMayGive();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const studios = useStudios();
  const day = search.get('day') ?? '';
  return (
    <Today
      studios={studios.data ?? []}
      may={(permission) => may(held, permission)}
      renderDisputes={
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

/** The address contains the view, the day unless it is today, and the studio of a week. */
function CalendarTab() {
  const mayGive = useMayGive();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const studios = useStudios().data ?? [];
  const getName = (studioId: string): string => studios.find(({ id }) => id === studioId)?.name ?? '';
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
                studioName: getName(studioId),
                startTime: start,
                endTime: end,
                customer: { email },
              }}
              studioName={getName(target.studioId)}
              target={target}
              mayRefund={mayGive}
              leave="Keep current time"
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
