import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { type Access, askAccess } from '#web/features/access/queries.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { AppError } from '#web/lib/supabase.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const BACK = { to: paths.home, label: 'Home' };
const ENDED = 'Your booking session has ended. You can no longer generate new PINs.';
const ID = /^[0-9a-f-]{36}$/i;

export default function RegeneratePinPage() {
  const [search] = useSearchParams();
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const bookingId = search.get('booking_id');
  const token = search.get('token');
  const valid = bookingId !== null && ID.test(bookingId);
  const access = useQuery({
    queryKey: ['access', bookingId, token, user?.id ?? ''],
    queryFn: () => askAccess('GET', bookingId ?? '', token),
    enabled: valid && status !== 'loading',
    retry: 0,
    refetchInterval: (query) => (query.state.data && query.state.data.pin === null ? 3_000 : 15_000),
  });

  if (!valid) {
    return (
      <Shell back={BACK} title="Invalid Request">
        <Notice tone="bad">
          <p>No booking ID provided. Please use the link from your booking confirmation email.</p>
        </Notice>
      </Shell>
    );
  }
  if (access.data)
    return <Pin access={access.data} token={token} queryKey={['access', bookingId, token, user?.id ?? '']} />;
  if (!access.isError) return <Waiting label="Asking for your code" />;
  const error = access.error;
  const code = error instanceof AppError ? error.code : '';
  const ended = code === 'session_ended';
  return (
    <Shell back={BACK} title={ended ? 'Session Ended' : 'Access code'}>
      <Notice tone={ended ? 'plain' : 'bad'}>
        <p>{ended ? ENDED : describeError(error, 'Failed to generate new PIN.')}</p>
      </Notice>
      <div className="mt-6">
        {ended ? (
          <Button disabled>Session Ended</Button>
        ) : code === 'not_signed_in' ? (
          <Button onClick={() => open('sign-in')}>Sign In</Button>
        ) : (
          <Button tone="plain" onClick={() => void access.refetch()}>
            Try again
          </Button>
        )}
      </div>
    </Shell>
  );
}

function Pin({ access, token, queryKey }: { access: Access; token: string | null; queryKey: readonly unknown[] }) {
  const now = useNow(1_000);
  const client = useQueryClient();
  const [copied, setCopied] = useState(false);
  const end = new Date(access.booking.end_time);
  const start = new Date(access.booking.start_time);
  const release = new Date(access.releaseAt);
  const ended = now >= end;
  const waitSeconds = access.nextCodeAt
    ? Math.max(0, Math.ceil((Date.parse(access.nextCodeAt) - now.getTime()) / 1000))
    : 0;
  const renew = useMutation({
    mutationFn: () => askAccess('POST', access.booking.id, token),
    onSuccess: (fresh) => {
      client.setQueryData(queryKey, fresh);
      setCopied(false);
      toast({
        title: 'New PIN generated',
        description: access.singleUse ? 'The one before no longer opens the door.' : '',
      });
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description:
          error instanceof AppError && error.code === 'session_ended'
            ? ENDED
            : describeError(error, 'Failed to generate new PIN.'),
        tone: 'bad',
      }),
  });

  async function copy(pin: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(pin);
      setCopied(true);
    } catch (error) {
      // oxlint-disable-next-line no-console
      console.warn('the PIN could not be copied', error); // only logged (spec section 8)
    }
  }

  return (
    <Shell back={BACK} title={access.booking.studio_name} lead={<p>{formatStudioRange(start, end)} (Sydney time)</p>}>
      <p className="text-sm text-dust" role="timer" aria-live="off">
        {ended
          ? 'Session Ended'
          : now < start
            ? `Starts in ${clock(start.getTime() - now.getTime())}`
            : `Time remaining ${clock(end.getTime() - now.getTime())}`}
      </p>
      <section aria-label="Access code" className="mt-4 border-t-4 border-signal bg-booth p-6">
        {access.pin ? (
          <>
            <p className="text-sm text-fog">Your PIN</p>
            <p data-testid="pin" className="my-2 text-6xl font-extrabold tracking-[0.18em] tabular-nums sm:text-8xl">
              {access.pin}
            </p>
            <p className="text-fog">
              Works from {formatStudioTime(new Date(access.worksFrom))} to{' '}
              {formatStudioTime(new Date(access.worksUntil))}.
            </p>
            <Button tone="plain" className="mt-4" onClick={() => void copy(access.pin ?? '')}>
              {copied ? 'Copied' : 'Copy PIN'}
            </Button>
          </>
        ) : ended ? (
          <p className="text-fog">{ENDED}</p>
        ) : now < release ? (
          <p className="text-fog">
            Your code appears here at <strong className="text-chalk">{formatStudioTime(release)}</strong>, in{' '}
            {clock(release.getTime() - now.getTime())}, and is mailed to you then. It works from{' '}
            {formatStudioTime(new Date(access.worksFrom))}.
          </p>
        ) : (
          <p role="status" className="text-fog">
            {access.codesLeft < 20 && access.singleUse
              ? 'Your last PIN was used. Generate a new one to come in again.'
              : 'The lock is being asked for your code. This page shows it as soon as it is there.'}
          </p>
        )}
      </section>
      <div className="mt-6 space-y-3">
        <Button
          onClick={() => renew.mutate()}
          busy={renew.isPending}
          disabled={ended || now < release || waitSeconds > 0 || access.codesLeft === 0}
        >
          {ended ? 'Session Ended' : 'Generate New PIN'}
        </Button>
        {waitSeconds > 0 && !ended ? (
          <p className="text-sm text-dust">A new PIN can be made in {waitSeconds} s.</p>
        ) : null}
        <p className="text-sm text-fog">
          {access.singleUse
            ? 'Each PIN is single-use: the door locks behind you, and a new PIN lets you in again.'
            : 'The lock accepts this PIN until your session ends.'}{' '}
          {access.codesLeft} more can be made.
        </p>
      </div>
    </Shell>
  );
}

/** "1:05:09"; whole days once there are two. */
function clock(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  if (days >= 2) return `${days} days`;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const part = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`;
}
