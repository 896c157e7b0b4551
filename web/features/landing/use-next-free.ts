import { useEffect, useState } from 'react';
import type { CallAnswer } from '#web/data/fetch-client.ts';

type Answer = CallAnswer<'next-free'>;

/** Polling interval. An answer only describes the moment at which it was given. */
const EVERY_MS = 60_000;
/** Delay of the first request, so that the first view is painted before it. */
const FIRST_MS = 1_000;

/** Returns the room that can be booked first. Null while that is unknown or if there is none. Uses `fetch`, because the client is large. */
export function useNextFree(): Answer['room'] {
  const [room, setRoom] = useState<Answer['room']>(null);
  useEffect(() => {
    // web/data/server.ts reads the key in the same way, but only pages with data load that module.
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
