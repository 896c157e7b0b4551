import { useEffect } from 'react';
import { AccountEntry } from '#web/features/landing/account-menu.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useLocation } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Mark } from '#web/ui/logo.tsx';

export default function NotFoundPage() {
  const { pathname } = useLocation();
  const { name, email } = useBusiness();
  useEffect(() => {
    // oxlint-disable-next-line no-console
    console.error('404: no page at', pathname); // The specification requires that unknown routes are logged.
  }, [pathname]);
  return (
    <main className="flex min-h-dvh flex-col justify-end gap-6 overflow-hidden px-4 py-10 sm:px-8 sm:py-14">
      <div className="mb-auto">
        <AccountEntry />
      </div>
      <title>{`Page not found · ${name}`}</title>
      <h1 className="flex items-center gap-[0.04em] text-[min(46vw,70svh)] leading-[0.74] font-black tracking-[-0.04em] [font-stretch:62%]">
        <span className="sr-only">404</span>
        <span aria-hidden="true">4</span>
        <Mark className="size-[0.62em] shrink-0 text-signal" />
        <span aria-hidden="true">4</span>
      </h1>
      <p className="mt-4 text-2xl font-semibold sm:text-3xl">Oops! Page not found</p>
      <p className="max-w-prose text-fog">
        There is nothing at this address. If a link of ours brought you here, please{' '}
        <a className="underline" href={`mailto:${email}?subject=Page%20not%20found`}>
          tell us
        </a>{' '}
        which one.
      </p>
      <nav aria-label="Where to go from here" className="flex flex-wrap gap-3">
        <Link to={paths.booking} className={buttonStyle.signal}>
          Book a studio
        </Link>
        <Link to={paths.bookings} className={buttonStyle.plain}>
          Your bookings
        </Link>
        <Link to={paths.home} className={buttonStyle.plain}>
          Return to Home
        </Link>
      </nav>
    </main>
  );
}
