import { useRef } from 'react';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Link } from '#web/router/router.tsx';

/** Style of the navigation entries. */
export const navigationEntry =
  'inline-flex min-h-11 items-center text-sm font-bold tracking-wider whitespace-nowrap transition-colors hover:text-signal';
const entry = 'block w-full px-3 py-3 text-left font-semibold hover:bg-deck';

/** A popover: the browser closes it on Escape or a press outside, and restores the focus. */
function AccountMenu({ email, buttonClass }: { email: string; buttonClass: string }) {
  const { signOut } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  const hide = (): void => menu.current?.hidePopover();
  function position(): void {
    const below = button.current?.getBoundingClientRect();
    if (!below || !menu.current) return;
    const widest = window.innerWidth - menu.current.offsetWidth - 16;
    menu.current.style.left = `${Math.max(16, Math.min(below.left - 12, widest))}px`;
    menu.current.style.top = `${below.bottom + 4}px`;
  }

  return (
    <>
      <button ref={button} type="button" className={buttonClass} popoverTarget="account-menu">
        ACCOUNT
      </button>
      <div
        ref={menu}
        id="account-menu"
        popover="auto"
        onToggle={position}
        className="fixed m-0 w-64 border border-line bg-booth p-2 text-chalk shadow-2xl"
      >
        <p className="truncate px-3 py-2 text-sm text-fog">{email}</p>
        <Link to={paths.bookings} className={entry} onClick={hide}>
          Your Bookings
        </Link>
        <Link to={paths.profile} className={entry} onClick={hide}>
          Account Settings
        </Link>
        <button type="button" className={entry} onClick={() => void signOut()}>
          Sign Out
        </button>
      </div>
    </>
  );
}

/** Shows SIGN IN, or the ACCOUNT menu when signed in; the same on every page. */
export function AccountEntry() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  if (status === 'in' && user) return <AccountMenu email={user.email ?? ''} buttonClass={navigationEntry} />;
  return (
    <button type="button" className={navigationEntry} onClick={() => open('sign-in')}>
      SIGN IN
    </button>
  );
}
