import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';

const PAGES = [
  { to: paths.bookings, label: 'Bookings' },
  { to: paths.profile, label: 'Settings' },
] as const;

/** Links the two pages of an account. `current`: the address of the page that is shown. */
export function AccountNav({ current }: { current: string }) {
  return (
    <nav aria-label="Account" className="mb-10 flex gap-6 border-b border-line">
      {PAGES.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          aria-current={to === current ? 'page' : undefined}
          className={`-mb-px inline-flex min-h-11 items-center border-b-2 px-1 font-bold ${to === current ? 'border-signal' : 'border-transparent text-fog hover:text-chalk'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
