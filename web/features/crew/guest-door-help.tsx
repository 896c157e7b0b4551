import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DoorStep, doorStep } from '#rules/doors.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import type { GuestAccess } from './queries.ts';

const POLL_MS = 10_000;

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
  const help = useQuery({
    queryKey: queryKeys.doorHelp.of(token),
    queryFn: () => callFunction('door-help', { crew: token }),
    refetchInterval: POLL_MS,
  });
  const step = help.data === undefined ? 'wake' : doorStep(help.data, access.worksFrom, now);
  return (
    <div className="mt-4 space-y-4">
      <p role="status" className="border-l-4 border-signal pl-3 font-semibold">
        {help.isError ? describeError(help.error, 'We couldn’t reach the lock.') : LOCK_SAYS[step]}
      </p>
      <ol className="list-decimal space-y-2 pl-6">
        <li>Check the door: it should say {studioName}.</li>
        <li>Your PIN works from {formatStudioTime(access.worksFrom)}.</li>
        <li>Cover the keypad with your whole hand until it lights up. Then type the PIN, digit by digit.</li>
        <li>Call your host: they can let you in from inside.</li>
      </ol>
      <AskStaff token={token} requested={help.data?.asked === true} />
    </div>
  );
}

const LOCK_SAYS: Readonly<Record<DoorStep, string>> = {
  time: 'It’s a little early: the PIN doesn’t open the door yet.',
  push: 'The lock has just opened. Push the door, and pull it towards you first.',
  digits: 'Someone typed a wrong code. Check every digit and try again.',
  code: 'The lock doesn’t have your PIN. If you’ve used it, make a new one above.',
  ask: 'The lock doesn’t answer at the moment. Ask us to open the door.',
  wake: 'The lock is probably asleep: wake the keypad first.',
};

function AskStaff({ token, requested }: { token: string; requested: boolean }) {
  const { phone, email } = useBusiness();
  const ask = useMutation({
    mutationFn: () => callFunction('door-help', { crew: token, ask: true }),
    meta: { handled: true, invalidates: [queryKeys.doorHelp.all] },
  });
  return (
    <>
      {requested || ask.isSuccess ? (
        <p role="status" className="font-semibold">
          We’ve told the team. Stay at the door, we’re on it.
        </p>
      ) : (
        <Button busy={ask.isPending} onClick={() => ask.mutate()}>
          Ask for help now
        </Button>
      )}
      {ask.isError ? (
        <Notice tone="bad">
          <p>{describeError(ask.error, 'Your message didn’t reach us. Please call us.')}</p>
        </Notice>
      ) : null}
      <p>
        {phone === '' ? (
          <a href={`mailto:${email}`} className={buttonStyle.quiet}>
            Email {email}
          </a>
        ) : (
          <a href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`} className={buttonStyle.quiet}>
            Call {phone}
          </a>
        )}
      </p>
    </>
  );
}
