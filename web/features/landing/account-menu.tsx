import { type ToggleEvent, useRef, useState } from 'react';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Link } from '#web/router/router.tsx';
import { fetchPart } from '#web/ui/fetch-part.ts';

export const navigationEntry =
  'inline-flex min-h-11 items-center text-sm font-bold tracking-wider whitespace-nowrap transition-colors hover:text-signal';
const entry = 'block w-full px-3 py-3 text-left font-semibold hover:bg-deck';

/** A popover: the browser closes it on Escape or a press outside, and restores the focus. */
function AccountMenu({ userId, email, buttonClass }: { userId: string; email: string; buttonClass: string }) {
  const { signOut } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isStaff, setIsStaff] = useState(false);

  const hide = (): void => menu.current?.hidePopover();
  function position(): void {
    const below = button.current?.getBoundingClientRect();
    if (!below || !menu.current) return;
    const widest = window.innerWidth - menu.current.offsetWidth - 16;
    menu.current.style.left = `${Math.max(16, Math.min(below.left - 12, widest))}px`;
    menu.current.style.top = `${below.bottom + 4}px`;
  }
  /** Reads the role only when the menu opens, because most visitors are not staff. */
  function follow(event: ToggleEvent<HTMLDivElement>): void {
    position();
    if (event.newState !== 'open') return;
    void readRole(userId).then((role) => setIsStaff(role === 'admin'));
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
        onToggle={follow}
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
        {/* The entry for staff comes last, so that no other entry moves when it appears. */}
        {isStaff ? (
          <Link to={paths.admin} className={`${entry} border-t border-line`} onClick={hide}>
            Admin
          </Link>
        ) : null}
      </div>
    </>
  );
}

/** Reads the account's role. Loads the code that calls the server on demand. Returns 'user' if that fails. */
const readRole = (userId: string): Promise<string> =>
  fetchPart(() => import('#web/data/role.ts')).then(
    (role) => role.readRole(userId),
    () => 'user',
  );

/** Shows SIGN IN, or the ACCOUNT menu for a signed-in visitor. It is the same on every page. */
export function AccountEntry() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  if (status === 'in' && user)
    return <AccountMenu userId={user.id} email={user.email ?? ''} buttonClass={navigationEntry} />;
  return (
    <button type="button" className={navigationEntry} onClick={() => open('sign-in')}>
      SIGN IN
    </button>
  );
}
