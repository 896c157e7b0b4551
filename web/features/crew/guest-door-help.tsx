import { useState } from 'react';
import type { DoorStep } from '#rules/doors.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { useDoorHelp } from '#web/data/bookings/use-door-help.ts';
import { ContactLink } from '#web/lib/business/contact-link.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import type { GuestAccess } from './queries.ts';

/** “The door doesn’t open” for a guest: the state of the lock, steps to try, and how to reach people who can open the door. */
export function GuestDoorHelp(props: { token: string; access: GuestAccess; studioName: string }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-label="The door doesn’t open">
      <Button tone="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
        The door doesn’t open
      </Button>
      {open ? <Steps {...props} /> : null}
    </section>
  );
}

function Steps({ token, access, studioName }: { token: string; access: GuestAccess; studioName: string }) {
  const now = useNow(15_000);
  const help = useDoorHelp({ crew: token }, access.worksFrom, now, LOCK_SAYS);
  return (
    <div className="mt-4 space-y-4">
      <p role="status" className="border-l-4 border-signal pl-3 font-semibold">
        {help.status}
      </p>
      <ol className="list-decimal space-y-2 pl-6">
        <li>Check the door: it should say {studioName}.</li>
        <li>Your PIN works from {formatStudioTime(access.worksFrom)}.</li>
        <li>Cover the keypad with your whole hand until it lights up. Then type the PIN, digit by digit.</li>
        <li>Call your host: they can let you in from inside.</li>
      </ol>
      {help.staffAsked ? (
        <p role="status" className="font-semibold">
          We’ve told the team. Stay at the door, we’re on it.
        </p>
      ) : (
        <Button busy={help.busy} onClick={help.ask}>
          Ask for help now
        </Button>
      )}
      {help.problem === null ? null : (
        <Notice tone="bad">
          <p>{help.problem}</p>
        </Notice>
      )}
      <p>
        <ContactLink className={buttonStyle.quiet} />
      </p>
    </div>
  );
}

const LOCK_SAYS: Readonly<Record<DoorStep, () => string>> = {
  time: () => 'It’s a little early: the PIN doesn’t open the door yet.',
  push: () => 'The lock has just opened. Push the door, and pull it towards you first.',
  digits: () => 'Someone typed a wrong code. Check every digit and try again.',
  code: () => 'The lock doesn’t have your PIN. If you’ve used it, make a new one above.',
  ask: () => 'The lock doesn’t answer at the moment. Ask us to open the door.',
  wake: () => 'The lock is probably asleep: wake the keypad first.',
};
