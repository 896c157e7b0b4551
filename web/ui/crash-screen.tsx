import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link } from '#web/router/router.tsx';
import { Boundary, type Problem } from './boundary.ts';
import { Button, buttonStyle } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice, Waiting } from './notice.tsx';
import { SiteFrame } from './shell.tsx';

/** Shows a page. If the page throws or could not be fetched, shows what the visitor can do. */
export function CrashScreen({ page, children }: { page: string; children: ReactNode }) {
  return (
    <Boundary page={page} reloads fallback={(problem) => <Screen {...problem} home={<HomeLink />} />}>
      {children}
    </Boundary>
  );
}

/** The outermost boundary. It is outside the router, so its Home link reloads the page. */
export function LastResort({ children }: { children: ReactNode }) {
  const home = (
    <a href="/" className={buttonStyle.plain}>
      Home
    </a>
  );
  return (
    <Boundary page="" fallback={(problem) => <Screen {...problem} home={home} />}>
      {children}
    </Boundary>
  );
}

function HomeLink() {
  return (
    <Link to="/" className={buttonStyle.plain}>
      Home
    </Link>
  );
}

const OFFLINE = 'You seem to be offline. We’ll try again automatically when you’re back online.';

function Screen({ missing, reloading, retry, home }: Problem & { home: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    window.scrollTo({ top: 0, behavior: 'instant' });
    heading.current?.focus({ preventScroll: true });
  }, [reloading]);
  const { name, kept } = useContext(SiteFrame);
  const offline = missing && !navigator.onLine;
  const title = offline ? 'You’re offline' : 'The needle jumped';
  if (reloading) return <Waiting label="Loading the page again" />;
  return (
    <main className="mx-auto grid min-h-dvh max-w-2xl place-content-center gap-6 px-4 py-10 sm:px-8 short:gap-4 short:py-6">
      <title>{`${title}${name === '' ? '' : ` · ${name}`}`}</title>
      <h1 ref={heading} tabIndex={-1} className="text-title outline-none short:text-4xl">
        {title}
      </h1>
      <div role="alert" className="space-y-2 text-lg text-fog">
        <p>
          {offline
            ? 'This page will open automatically when you’re back online.'
            : missing
              ? 'This page could not be loaded.'
              : 'Something on this page broke.'}
        </p>
        <p>Nothing you booked or paid is lost, and your chosen hours and details are still here.</p>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button onClick={retry}>Try again</Button>
        {home}
      </div>
      {offline ? kept : null}
    </main>
  );
}

const UNLOADED = { online: 'This part didn’t load.', offline: 'You’re offline.' } as const;

/** Boundary for a dialog: shows the error in a dialog and keeps the page behind it. */
export function DialogBoundary({
  page,
  onClose,
  action,
  children,
}: {
  page: string;
  onClose: () => void;
  /** Second button, next to Try again. */
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Boundary
      page={page}
      fallback={({ missing, retry }) => (
        <Dialog open title="The needle jumped" onClose={onClose}>
          <Notice tone="bad">
            <p>{missing ? UNLOADED[navigator.onLine ? 'online' : 'offline'] : 'Something here broke.'}</p>
            <p className="mt-1 text-sm text-fog">
              {missing && !navigator.onLine ? OFFLINE : 'What you typed and chose on the page is still there.'}
            </p>
          </Notice>
          <div className="mt-5 flex flex-wrap gap-3">
            <Button onClick={retry}>Try again</Button>
            {action}
          </div>
        </Dialog>
      )}
    >
      {children}
    </Boundary>
  );
}

/** Boundary for a part of a page: shows the error in place and keeps the rest of the page. */
export function PartBoundary({ what, children }: { what: string; children: ReactNode }) {
  return (
    <Boundary
      page={what}
      fallback={({ retry }) => (
        <Notice tone="bad">
          <p>{what} could not be loaded. Everything else on this page still works.</p>
          <Button tone="plain" className="mt-3" onClick={retry}>
            Try again
          </Button>
        </Notice>
      )}
    >
      {children}
    </Boundary>
  );
}
