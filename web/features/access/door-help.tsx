import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type DoorStep, doorStep } from '#rules/doors.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import type { Access, DoorHelpAnswer } from './queries.ts';
import { FAILED, useNewPin } from './use-access-code.ts';

const button =
  'inline-flex min-h-12 items-center border-2 border-black px-5 font-bold disabled:opacity-50 forced-colors:border-[ButtonText]';
const POLL_MS = 10_000;

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
  const { id } = access.booking;
  const queryKey = queryKeys.doorHelp.of(id);
  const help = useQuery({
    queryKey,
    queryFn: () => callFunction('door-help', { bookingId: id, token }),
    refetchInterval: POLL_MS,
  });
  const step = help.data === undefined ? 'wake' : doorStep(help.data, new Date(access.worksFrom), now);
  return (
    <>
      <p role="status" className="mt-4 border-l-4 border-black pl-3 text-lg font-semibold">
        {help.isError ? describeError(help.error, 'We couldn’t reach the lock.') : LOCK_SAYS[step](access, help.data)}
      </p>
      <ol className="mt-4 list-decimal space-y-4 pl-6 text-lg">
        <li>Check the door: it should say {access.booking.studio_name}.</li>
        <li>Your code works from {formatStudioTime(new Date(access.worksFrom))}.</li>
        <li>Wake the keypad: cover it with your whole hand until it lights up. Then type the code, digit by digit.</li>
        <li>
          Still closed? A new code often helps.
          <NewCode access={access} token={token} now={now} />
        </li>
        <AskStaff bookingId={id} token={token} requested={help.data?.asked === true} />
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
      {renew.isError ? (
        <p role="alert" className="mt-2 font-semibold">
          {describeError(renew.error, FAILED)}
        </p>
      ) : null}
    </>
  );
}

const LOCK_SAYS: Readonly<Record<DoorStep, (access: Access, answer: DoorHelpAnswer | undefined) => ReactNode>> = {
  time: ({ worksFrom }) =>
    `It’s a little early: the code opens the door from ${formatStudioTime(new Date(worksFrom))}.`,
  push: (_access, answer) =>
    `The lock opened at ${formatTime(answer?.openedAt)}. Push the door, and pull it towards you first.`,
  digits: (_access, answer) =>
    `Someone typed a wrong code at ${formatTime(answer?.wrongAt)}. Check every digit and try again.`,
  code: () => 'The lock doesn’t have your code yet. Make a new one, or ask us to open the door.',
  ask: () => 'The lock doesn’t answer at the moment. Ask us to open the door.',
  wake: () => 'The lock has your code. It’s probably asleep: wake the keypad first.',
};
const formatTime = (at: string | null | undefined): string => (at ? formatStudioTime(new Date(at)) : '');

function AskStaff({ bookingId, token, requested }: { bookingId: string; token: string | null; requested: boolean }) {
  const { phone, email } = useBusiness();
  const ask = useMutation({
    mutationFn: () => callFunction('door-help', { bookingId, token, ask: true }),
    meta: { handled: true, invalidates: [queryKeys.doorHelp.all] },
  });
  return (
    <li>
      Ask us: if this lock allows it, we’ll open it remotely. We can also see how many minutes you’ve lost.
      {requested || ask.isSuccess ? (
        <p role="status" className="mt-2 font-semibold">
          We’ve told the team. Stay at the door, we’re on it.
        </p>
      ) : (
        <p className="mt-2">
          <button type="button" className={button} disabled={ask.isPending} onClick={() => ask.mutate()}>
            Ask for help now
          </button>
        </p>
      )}
      {ask.isError ? (
        <p role="alert" className="mt-2 font-semibold">
          {describeError(ask.error, 'Your message didn’t reach us. Please call us.')}
        </p>
      ) : null}
      <p className="mt-2">
        {phone === '' ? (
          <a href={`mailto:${email}`} className="inline-flex min-h-12 items-center font-semibold underline">
            Email {email}
          </a>
        ) : (
          <a
            href={`tel:${phone.replaceAll(/[^+\d]/g, '')}`}
            className="inline-flex min-h-12 items-center font-semibold underline"
          >
            Call {phone}
          </a>
        )}
      </p>
    </li>
  );
}
