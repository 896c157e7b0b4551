import { useState } from 'react';
import type { DoorStep } from '#rules/doors.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { type DoorHelpAnswer, useDoorHelp } from '#web/data/bookings/use-door-help.ts';
import { ContactLink } from '#web/lib/business/contact-link.tsx';
import { Failure } from '#web/lib/business/failure.tsx';
import { useNow } from '#web/lib/use-now.ts';
import type { Access } from './queries.ts';
import { FAILED, useNewPin } from './use-access-code.ts';

const button =
  'inline-flex min-h-12 items-center border-2 border-black px-5 font-bold disabled:opacity-50 forced-colors:border-[ButtonText]';

/** “The door doesn’t open”: steps to try, and how to reach people who can open the door. The step that the lock's state calls for comes first. */
export function DoorHelp({ access, token }: { access: Access; token: string | null }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label="The door doesn’t open" className="mt-6">
      <button type="button" className={button} aria-expanded={open} onClick={() => setOpen(!open)}>
        The door doesn’t open
      </button>
      {open ? <Steps access={access} token={token} /> : null}
    </section>
  );
}

function Steps({ access, token }: { access: Access; token: string | null }) {
  const now = useNow(1_000);
  const help = useDoorHelp({ bookingId: access.booking.id, token }, new Date(access.worksFrom), now, sayLock(access));
  return (
    <>
      <p role="status" className="mt-4 border-l-4 border-black pl-3 text-lg font-semibold">
        {help.status}
      </p>
      <ol className="mt-4 list-decimal space-y-4 pl-6 text-lg">
        <li>Check the door: it should say {access.booking.studio_name}.</li>
        <li>Your code works from {formatStudioTime(new Date(access.worksFrom))}.</li>
        <li>Wake the keypad: cover it with your whole hand until it lights up. Then type the code, digit by digit.</li>
        <li>
          Still closed? A new code often helps.
          <NewCode access={access} token={token} now={now} />
        </li>
        <AskStaff {...help} />
      </ol>
    </>
  );
}

/** Makes a new code, or shows why none can be made now. */
function NewCode({ access, token, now }: { access: Access; token: string | null; now: Date }) {
  const renew = useNewPin(access.booking.id, token);
  const seconds = access.nextCodeAt === null ? 0 : Math.ceil((Date.parse(access.nextCodeAt) - now.getTime()) / 1000);
  if (access.codesLeft === 0)
    return <p className="mt-2 font-semibold">You can’t make any more for this session. Ask us to open the door.</p>;
  return (
    <>
      <p className="mt-2">
        <button
          type="button"
          className={button}
          disabled={renew.isPending || seconds > 0}
          aria-busy={renew.isPending}
          onClick={() => renew.mutate()}
        >
          Make a new code
        </button>
      </p>
      {seconds > 0 ? (
        <p className="mt-2 tabular-nums">
          You can make a new code in {seconds} {seconds === 1 ? 'second' : 'seconds'}.
        </p>
      ) : null}
      <Failure action={renew} text={FAILED} className="mt-2 font-semibold" />
    </>
  );
}

const sayLock = ({ worksFrom }: Access): Readonly<Record<DoorStep, (answer: DoorHelpAnswer) => string>> => ({
  time: () => `It’s a little early: the code opens the door from ${formatStudioTime(new Date(worksFrom))}.`,
  push: ({ openedAt }) => `The lock opened at ${formatTime(openedAt)}. Push the door, and pull it towards you first.`,
  digits: ({ wrongAt }) => `Someone typed a wrong code at ${formatTime(wrongAt)}. Check every digit and try again.`,
  code: () => 'The lock doesn’t have your code yet. Make a new one, or ask us to open the door.',
  ask: () => 'The lock doesn’t answer at the moment. Ask us to open the door.',
  wake: () => 'The lock has your code. It’s probably asleep: wake the keypad first.',
});
const formatTime = (at: string | null): string => (at === null ? '' : formatStudioTime(new Date(at)));

function AskStaff({ ask, busy, staffAsked, problem }: Omit<ReturnType<typeof useDoorHelp>, 'status'>) {
  return (
    <li>
      Ask us: if this lock allows it, we’ll open it remotely. We can also see how many minutes you’ve lost.
      {staffAsked ? (
        <p role="status" className="mt-2 font-semibold">
          We’ve told the team. Stay at the door, we’re on it.
        </p>
      ) : (
        <p className="mt-2">
          <button type="button" className={button} disabled={busy} onClick={ask}>
            Ask for help now
          </button>
        </p>
      )}
      {problem === null ? null : (
        <p role="alert" className="mt-2 font-semibold">
          {problem}
        </p>
      )}
      <p className="mt-2">
        <ContactLink className="inline-flex min-h-12 items-center font-semibold underline" />
      </p>
    </li>
  );
}
