import { useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { buttonStyle } from '#web/ui/button.tsx';

export default function NotFoundPage() {
  const { pathname } = useLocation();
  useEffect(() => {
    // oxlint-disable-next-line no-console
    console.error('404: no page at', pathname); // logged by the specification, section 2
  }, [pathname]);
  return (
    <main className="grid min-h-dvh place-content-center gap-6 px-6 text-center">
      <h1 className="text-8xl text-signal">404</h1>
      <p className="text-xl">Oops! Page not found</p>
      <Link to="/" className={buttonStyle.plain}>
        Return to Home
      </Link>
    </main>
  );
}
