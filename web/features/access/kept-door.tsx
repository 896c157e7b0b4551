import { buttonStyle } from '#web/ui/button.tsx';
import { useState } from 'react';
import { keptDoor } from '#web/lib/stored/door-copy.ts';
import { paths } from '#web/lib/paths.ts';

/** Leads to the page at the door, which works without a connection on a phone that has opened it before; nothing on others. */
export function KeptDoor() {
  const [bookingId] = useState(() => keptDoor(new Date()));
  if (bookingId === null) return null;
  return (
    // Loaded as a document: the files of the page are kept for that.
    <a href={paths.door(bookingId, null)} className={buttonStyle.signal}>
      Your access code
    </a>
  );
}
