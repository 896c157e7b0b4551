import { useEffect } from 'react';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';

/** Makes the browser's Back lead to the booking page, whatever page came before. */
export function useBackToBooking(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const goBack = (): void => navigate(paths.booking, { replace: true });
    window.addEventListener('popstate', goBack);
    // Remove the listener later: the router handles Back first and unmounts this page before the listener runs.
    return () => void setTimeout(() => window.removeEventListener('popstate', goBack));
  }, [navigate]);
}
