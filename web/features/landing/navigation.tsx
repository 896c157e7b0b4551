import type { MouseEvent } from 'react';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useLocation, useNavigate } from '#web/router/router.tsx';
import { Mark } from '#web/ui/logo.tsx';
import { AccountEntry, navigationEntry as entry } from './account-menu.tsx';

/** Navigation of the public pages. It consists of real links, so that it also works without JavaScript. */
export function Navigation({ over = false }: { over?: boolean }) {
  const business = useBusiness();
  const { pathname, hash } = useLocation();
  const navigate = useNavigate();

  function goHome(event: MouseEvent): void {
    if (pathname !== paths.home) return;
    event.preventDefault();
    if (hash !== '') navigate(paths.home, { replace: true });
    window.scrollTo({ top: 0 });
  }
  function goAbout(event: MouseEvent): void {
    const about = document.getElementById('about');
    if (!about) return; // On other pages the link opens the first page, which scrolls there after layout.
    event.preventDefault();
    about.scrollIntoView();
  }

  return (
    <header
      className={`flex items-center justify-between gap-4 px-4 py-3 sm:px-8 ${over ? 'absolute inset-x-0 top-0 z-10' : ''}`}
    >
      <nav aria-label="Main" className="flex flex-wrap gap-x-5 sm:gap-x-7">
        <Link to={paths.home} onClick={goHome} className={entry}>
          HOME
        </Link>
        <Link to={`${paths.home}#about`} onClick={goAbout} className={entry}>
          ABOUT US
        </Link>
        <AccountEntry />
      </nav>
      <Link to={paths.home} onClick={goHome} aria-label={`${business.name}, home`} className="shrink-0 p-1 text-signal">
        <Mark className="size-9" />
      </Link>
    </header>
  );
}
