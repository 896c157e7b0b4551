import { useOnline } from '../use-browser.ts';

/** Shows that there is no connection. The element always stays in the page, so that screen readers announce its text. */
export function Offline() {
  const online = useOnline();
  return (
    <p role="status" className="border-l-4 border-warn bg-booth p-3 text-sm empty:hidden">
      {online ? '' : 'You’re offline. You can look around; booking, paying and changing need a connection.'}
    </p>
  );
}
