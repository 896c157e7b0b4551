import { useRef } from 'react';
import { Link } from 'react-router';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/lib/session.tsx';

const entry = 'block w-full px-3 py-3 text-left font-semibold hover:bg-deck';

/** A popover: the browser closes it on Escape and on a press elsewhere, and gives the focus back. */
export function AccountMenu({ email, buttonClass }: { email: string; buttonClass: string }) {
  const { signOut } = useSession();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  function place(): void {
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
        onToggle={place}
        className="fixed m-0 w-64 border border-line bg-booth p-2 text-chalk shadow-2xl"
      >
        <p className="truncate px-3 py-2 text-sm text-fog">{email}</p>
        <Link to={paths.profile} className={entry}>
          Account Settings
        </Link>
        <button type="button" className={entry} onClick={() => void signOut()}>
          Sign Out
        </button>
      </div>
    </>
  );
}
