import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { endWarning, type EndWarning, lightsWindow } from '#rules/business/session.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { useSession } from '#web/data/session.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { bigButton } from './big-button.ts';
import { useChime } from './chime.ts';
import { Extension } from './extension.tsx';
import { Lights } from './lights.tsx';
import type { RoomSession } from './queries.ts';
import { useSessionRoom } from './use-session-room.ts';

/**
 * The controls for a customer in the room, for one-handed use at night: the lights, another hour, and a warning before the end. Renders
 * nothing outside the session and the minutes around it. `online`: false while the page shows the copy kept by this browser.
 */
export function SessionPanel({
  session,
  online,
  children,
}: {
  session: RoomSession;
  online: boolean;
  /** Further controls for the room. */
  children?: ReactNode;
}) {
  const now = useNow(1_000);
  const { user } = useSession();
  const near = lightsWindow(session);
  const running = now >= session.start && now < session.end;
  const room = useSessionRoom(session, online, now);
  const chime = useChime();
  if (now < near.start || now >= near.end) return null;
  const warning = endWarning(session, room?.followed === true, now);
  const more =
    running && user !== null ? <Extension key="extension" session={session} userId={user.id} online={online} /> : null;
  const lights = room?.lights === true ? <Lights key="lights" session={session} online={online} /> : null;
  return (
    <section aria-label="Your session" className="space-y-4 bg-white text-black [color-scheme:light]">
      <Warning warning={warning} session={session} now={now} onDue={(tone) => chime.play(tone)} />
      {/* On a phone the first button is closest to the thumb. Once the session is about to end, that is the button to stay longer. */}
      <div className="flex flex-col gap-4 sm:flex-row sm:flex-wrap sm:items-start">
        {warning === null ? [lights, more] : [more, lights]}
        {!online && room === undefined ? <Offline /> : null}
        {running && !chime.allowed ? (
          <button type="button" className={bigButton} onClick={() => chime.allow()}>
            Chime before the end
          </button>
        ) : null}
        {children}
      </div>
      {chime.allowed ? <p className="text-lg">You’ll hear two notes before the end.</p> : null}
    </section>
  );
}

const Offline = () => (
  <p className="border-l-4 border-black pl-3 text-lg">
    No connection: the lights can’t be switched, and the session can’t be made longer from here.
  </p>
);

/** Announces each warning once: politely, or assertively if another booking follows. */
function Warning({
  warning,
  session,
  now,
  onDue,
}: {
  warning: EndWarning | null;
  session: RoomSession;
  now: Date;
  onDue: (tone: EndWarning['tone']) => void;
}) {
  const due = useEffectEvent((tone: EndWarning['tone']) => onDue(tone));
  const { minutes, tone } = warning ?? {};
  useEffect(() => {
    if (minutes !== undefined && tone !== undefined) due(tone);
  }, [minutes, tone]);
  const remainingMinutes = Math.max(1, Math.ceil((session.end.getTime() - now.getTime()) / 60_000));
  const loud = warning?.tone === 'loud';
  return (
    <div
      className={
        // The empty element takes no space. It stays in the page so that screen readers announce its text when it changes.
        warning === null
          ? 'sr-only'
          : `p-4 text-2xl font-bold ${loud ? 'bg-black text-white' : 'border-l-8 border-black'}`
      }
    >
      {/* The text only changes with each warning, so that a screen reader does not count the minutes. */}
      <p role={loud ? 'alert' : 'status'}>
        {warning === null ? '' : `Your session ends at ${formatStudioTime(session.end)}, Sydney time.`}
        {loud ? ` Someone has the room right after you: please leave it in time. ${warning.minutes} minutes.` : ''}
      </p>
      {warning === null ? null : (
        <p aria-hidden="true" className="mt-1 tabular-nums">
          {remainingMinutes} {remainingMinutes === 1 ? 'minute' : 'minutes'} left
        </p>
      )}
    </div>
  );
}
