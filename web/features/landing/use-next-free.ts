import { useEffect, useState } from 'react';
import type { CallAnswer } from '#web/data/fetch-client.ts';

type Answer = CallAnswer<'next-free'>;

/** How often it is asked again. An answer says nothing about later. */
const EVERY_MS = 60_000;
/** When it is asked first: the first view is painted before. */
const FIRST_MS = 1_000;

/** Which room can be booked first; null while that is unknown, or when none can. Asked without the client, which is large. */
export function useNextFree(): Answer['room'] {
  const [room, setRoom] = useState<Answer['room']>(null);
  useEffect(() => {
    // As web/data/server.ts reads it, which pages with data load.
    const apikey = document.querySelector<HTMLMetaElement>('[name=anon-key]')?.content ?? '';
    const ask = (): void =>
      void fetch('/functions/v1/next-free', { method: 'POST', headers: { apikey } })
        .then((answer) => answer.json())
        .then(
          (answer: Partial<Answer>) => setRoom(answer.room ?? null),
          () => setRoom(null),
        );
    const timers = [setTimeout(ask, FIRST_MS), setInterval(ask, EVERY_MS)];
    return () => timers.forEach(clearInterval);
  }, []);
  return room;
}
