import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link } from '#web/router/router.tsx';
import { Mark } from './logo.tsx';

/** What every page shares: the name of the business, the sign-in or account entry, and below them the announcements of every page. */
export const SiteFrame = createContext<{
  readonly name: string;
  readonly account: ReactNode;
  readonly notice: ReactNode;
  /** A link to what works without a connection. */
  readonly kept: ReactNode;
}>({ name: '', account: null, notice: null, kept: null });

/** Frame of all pages except the public ones: back link, account entry, title. Focuses the title of a new page for screen readers. */
export function Shell({
  back,
  title,
  lead,
  wide = false,
  children,
}: {
  back: { to: string; label: string };
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  const { name, account, notice } = useContext(SiteFrame);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Focus it only if the focus was lost with the previous page.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div className={`mx-auto w-full px-4 pt-4 pb-16 sm:px-8 ${wide ? 'max-w-6xl' : 'max-w-2xl'}`}>
      <header className="flex items-center justify-between py-3">
        <Link
          to={back.to}
          className="inline-flex min-h-11 items-center gap-2 text-sm font-semibold text-fog hover:text-chalk"
        >
          <span aria-hidden="true">←</span> {back.label}
        </Link>
        <div className="flex items-center gap-4">
          {account}
          <Link to="/" className="p-1.5 text-signal hover:text-chalk" aria-label={`${name}, home`}>
            <Mark className="size-8" />
          </Link>
        </div>
      </header>
      {notice}
      <main>
        <title>{`${title} · ${name}`}</title>
        <h1 ref={heading} tabIndex={-1} className="mt-8 text-title outline-none sm:mt-12">
          {title}
        </h1>
        {lead ? <div className="mt-5 max-w-prose text-lg text-fog">{lead}</div> : null}
        <div className="mt-8 sm:mt-10">{children}</div>
      </main>
    </div>
  );
}
