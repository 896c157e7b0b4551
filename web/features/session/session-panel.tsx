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
 * What somebody in the room needs, for one hand at night: the lights, a further hour, and a warning before the end. Nothing outside the session and the
 * minutes around it. `online`: false while the page shows what this browser has kept.
 */
export function SessionPanel({
  session,
  online,
  children,
}: {
  session: RoomSession;
  online: boolean;
  /** Further things to do in the room. */
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
      {/* On a phone the first button is under the thumb: staying longer, once the session is about to end. */}
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

/** Announces each warning once: politely, or at once where somebody follows. */
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
  const left = Math.max(1, Math.ceil((session.end.getTime() - now.getTime()) / 60_000));
  const loud = warning?.tone === 'loud';
  return (
    <div
      className={
        // Empty it takes no room; it stays in the page, so that its words are announced.
        warning === null
          ? 'sr-only'
          : `p-4 text-2xl font-bold ${loud ? 'bg-black text-white' : 'border-l-8 border-black'}`
      }
    >
      {/* The words change with each warning only, so a screen reader does not count the minutes. */}
      <p role={loud ? 'alert' : 'status'}>
        {warning === null ? '' : `Your session ends at ${formatStudioTime(session.end)}, Sydney time.`}
        {loud ? ` Somebody has the room right after you: please leave it in time. ${warning.minutes} minutes.` : ''}
      </p>
      {warning === null ? null : (
        <p aria-hidden="true" className="mt-1 tabular-nums">
          {left} {left === 1 ? 'minute' : 'minutes'} left
        </p>
      )}
    </div>
  );
}
