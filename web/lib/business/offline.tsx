import { useOnline } from '../use-browser.ts';

/** Says that there is no connection, for as long as there is none. It stays in the page, so that screen readers announce its words. */
export function Offline() {
  const online = useOnline();
  return (
    <p role="status" className="border-l-4 border-warn bg-booth p-3 text-sm empty:hidden">
      {online ? '' : 'You’re offline. You can look around; booking, paying and changing need a connection.'}
    </p>
  );
}
