import { buttonStyle } from '#web/ui/button.tsx';
import { useState } from 'react';
import { keptDoor } from '#web/lib/stored/door-copy.ts';
import { paths } from '#web/lib/paths.ts';

/** Links to the page at the door. It works without a connection on a device that has opened it before; on other devices the link is not shown. */
export function KeptDoor() {
  const [bookingId] = useState(() => keptDoor(new Date()));
  if (bookingId === null) return null;
  return (
    // The page must load as a document, because its files are cached for that.
    <a href={paths.door(bookingId, null)} className={buttonStyle.signal}>
      Your access code
    </a>
  );
}
