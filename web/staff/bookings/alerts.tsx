import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { z } from 'zod';
import { cancelledAt } from '#rules/identity.ts';
import { titleOfJob } from '#rules/jobs.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths, withBooking } from '#web/lib/paths.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { BookingLink } from './booking-link.tsx';
import { DecideDispute } from './decide-dispute.tsx';
import {
  type Alert,
  type AlertKind,
  ALERTS_SHOWN,
  closeJob,
  keepBlockedBooking,
  keepWithoutId,
  readAlerts,
  retryJob,
} from './queries.ts';

const TITLES: Readonly<Record<AlertKind, (alert: Alert) => string>> = {
  id_waiting: ({ customer }) => `${customer ?? 'A customer'} waits for a decision about an ID`,
  id_missing: ({ customer }) => `${customer ?? 'A customer'} has no verified ID any more`,
  refund_failed: () => 'A refund failed',
  code_held: ({ customer }) => `The code of ${customer ?? 'a customer'} is held: a payment is disputed`,
  dispute: () => 'A payment is disputed',
  mail_bounced: ({ job }) => `${titleOfJob(job?.kind ?? '')}: refused by the customer’s mail server`,
  job_failing: ({ job }) => `${titleOfJob(job?.kind ?? '')}: failed ${job?.tries ?? 0} times`,
  job_late: ({ job }) => `${titleOfJob(job?.kind ?? '')}: too late`,
  door_closed: ({ customer }) => `${customer ?? 'A customer'} stands at a closed door`,
  reported: ({ customer, problem }) =>
    `${customer ?? 'A customer'} ${problem === 'lost' ? 'left something behind' : 'reported a problem'}`,
  blocked_booking: ({ customer }) => `${customer ?? 'A customer'} is blocked and has a paid booking`,
  code_missing: () => 'The lock has not accepted the code',
  lock_offline: ({ studioName }) => `The lock of ${studioName ?? 'a studio'} is offline`,
  battery_low: ({ studioName, problem }) =>
    `Change the battery of the lock of ${studioName ?? 'a studio'}: ${problem ?? ''}`,
  secret_stays: ({ customer, studioName }) =>
    `A code that ${customer ?? 'a former colleague'} knows still opens ${studioName ?? 'a studio'}`,
  ledger_difference: ({ problem }) => `Differences with the payment provider: ${problem ?? ''}`,
};
const HINTS: Readonly<Partial<Record<AlertKind, string>>> = {
  code_held:
    'Without a decision by then, the code stays held and the customer is told to call you. Nothing is refunded automatically',
  blocked_booking: 'The access code works. Keep the session, or open the booking and cancel it',
  dispute: 'The booking has the evidence as a file. Send it at the payment provider. The customer’s bank decides',
  mail_bounced: 'Call the customer, or correct the address and try again',
  secret_stays:
    'This lock can’t remove a code, and the permission under which it was seen is gone. Lock the room another way if that matters',
  lock_offline: 'Codes cannot be stored in it now. Check the bridge and the Wi-Fi of the room',
};
/** What happens at the moment that an alert names, where it is not the end of the time to answer. */
const DUE: Readonly<Partial<Record<AlertKind, string>>> = { code_held: 'Decide by', secret_stays: 'It works until' };
/** Kinds whose problem is named in the title or in words of the payment provider. */
const NAMED: readonly AlertKind[] = [
  'reported',
  'battery_low',
  'code_held',
  'dispute',
  'ledger_difference',
  'mail_bounced',
  'secret_stays',
];
const DIALOGS: Readonly<Partial<Record<AlertKind, string>>> = {
  id_missing: 'Let the session take place?',
  code_held: 'Decide about this booking',
};
const URGENT: readonly AlertKind[] = [
  'door_closed',
  'id_missing',
  'refund_failed',
  'code_held',
  'dispute',
  'code_missing',
  'lock_offline',
  'secret_stays',
];

/**
 * Lists what needs a person, oldest first, each with its action. `mayOpen`: whether the account may open bookings. `disputesOf`: shows the disputes of a
 * booking with their evidence; null if the account may not decide about them.
 */
export function Alerts({
  mayOpen,
  disputesOf,
}: {
  mayOpen: boolean;
  disputesOf: ((booking: { readonly id: string; readonly reference: string }) => ReactNode) | null;
}) {
  useLive('staff', queryKeys.alerts.all);
  const alerts = useQuery({ queryKey: queryKeys.alerts.of(), queryFn: readAlerts, refetchInterval: 60_000 });
  const [closing, setClosing] = useState<Alert | null>(null);
  return (
    <section aria-labelledby="alerts" className="mb-10">
      <h2 id="alerts" className="mb-3 text-2xl">
        Needs you
        {alerts.data === undefined || alerts.data.length === 0
          ? ''
          : ` (${alerts.data.length}${alerts.data.length === ALERTS_SHOWN ? ' or more' : ''})`}
      </h2>
      {alerts.isError && !alerts.data ? (
        <LoadFailed
          title="The alerts could not be loaded."
          why={describeError(alerts.error, 'Check your connection.')}
          onRetry={() => void alerts.refetch()}
        />
      ) : (
        <List alerts={alerts.data} mayOpen={mayOpen} mayDecide={disputesOf !== null} onClose={setClosing} />
      )}
      <Dialog
        open={closing !== null}
        title={closing === null ? '' : (DIALOGS[closing.kind] ?? 'Close this job?')}
        onClose={() => setClosing(null)}
      >
        {closing === null ? null : closing.kind === 'code_held' && closing.booking !== null ? (
          <div className="space-y-6">
            {disputesOf?.(closing.booking)}
            <DecideDispute booking={closing.booking} mayCancel={mayOpen} onDone={() => setClosing(null)} />
          </div>
        ) : (
          <CloseForm alert={closing} onDone={() => setClosing(null)} />
        )}
      </Dialog>
    </section>
  );
}

function List({
  alerts,
  mayOpen,
  mayDecide,
  onClose,
}: {
  alerts: readonly Alert[] | undefined;
  mayOpen: boolean;
  mayDecide: boolean;
  onClose: (alert: Alert) => void;
}) {
  if (!alerts) return <Skeleton className="h-16" label="Loading the alerts" />;
  if (alerts.length === 0) return <p className="text-fog">Nothing needs you now.</p>;
  return (
    <ul className="space-y-3">
      {alerts.map((one) => (
        <li
          key={`${one.kind} ${one.job?.id ?? one.booking?.id ?? one.studioName ?? one.since.getTime()}`}
          className={`flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-l-4 bg-deck p-4 ${URGENT.includes(one.kind) ? 'border-bad' : 'border-warn'}`}
        >
          <div className="min-w-0 flex-1 basis-64">
            <p className="font-semibold">{TITLES[one.kind](one)}</p>
            <p className="mt-1 text-sm break-words text-fog">
              {one.booking === null ? null : (
                <>{mayOpen ? <BookingLink reference={one.booking.reference} /> : one.booking.reference}, </>
              )}
              {describe(one)}
            </p>
          </div>
          <Actions alert={one} mayOpen={mayOpen} mayDecide={mayDecide} onClose={onClose} />
        </li>
      ))}
    </ul>
  );
}

/** Names the session, the reason and the time. */
function describe({ kind, booking, customer, problem, since, due }: Alert): string {
  const parts = [
    booking === null
      ? null
      : `${booking.studioName}, ${formatStudioDate(booking.start, 'short')} ${formatStudioTime(booking.start)}`,
    kind === 'id_waiting' || kind === 'secret_stays' ? null : customer,
    (kind === 'dispute' || kind === 'code_held') && problem !== null ? `Reason: ${problem.replaceAll('_', ' ')}` : null,
    NAMED.includes(kind) ? null : problem,
    kind === 'id_missing' && booking !== null ? describeCancellation(booking.start, since) : null,
    due === null ? null : `${DUE[kind] ?? 'Answer by'} ${formatStudioDate(due, 'short')}, ${formatStudioTime(due)}`,
    HINTS[kind] ?? null,
    `Since ${formatStudioDate(since, 'short')}, ${formatStudioTime(since)}`,
  ];
  return parts.flatMap((part) => (part === null ? [] : [part.replace(/\.$/, '')])).join('. ');
}

/** What happens to a booking without a verified ID unless somebody decides. */
function describeCancellation(start: Date, since: Date): string {
  const at = cancelledAt(start, since);
  if (at === null) return 'It is not cancelled by itself: decide whether the session takes place';
  return `It is cancelled with a full refund at ${formatStudioTime(at)} unless somebody verifies the ID or lets the session take place`;
}

type TabLink = { readonly tab: string; readonly label: string; readonly tone?: 'signal' };
/** The tabs where alerts are dealt with. */
const LINKS: Readonly<Partial<Record<AlertKind, readonly TabLink[]>>> = {
  id_waiting: [{ tab: 'id-review', label: 'Check the ID' }],
  reported: [{ tab: 'incidents', label: 'Read and answer' }],
  door_closed: [
    { tab: 'doors', label: 'Open the door', tone: 'signal' },
    { tab: 'incidents', label: 'Incidents' },
  ],
  lock_offline: [{ tab: 'doors', label: 'Open Doors' }],
  battery_low: [{ tab: 'doors', label: 'Open Doors' }],
  secret_stays: [{ tab: 'staff', label: 'Open Staff' }],
  ledger_difference: [{ tab: 'numbers', label: 'Open Numbers' }],
};

function Actions({
  alert,
  mayOpen,
  mayDecide,
  onClose,
}: {
  alert: Alert;
  mayOpen: boolean;
  mayDecide: boolean;
  onClose: (alert: Alert) => void;
}) {
  if (alert.kind === 'code_held')
    return mayDecide ? (
      <Button onClick={() => onClose(alert)}>Decide</Button>
    ) : (
      <p className="text-sm text-fog">Ask a colleague with the permission “money” to decide.</p>
    );
  if (alert.kind === 'id_missing')
    return (
      <div className="flex flex-wrap gap-3">
        <Link to={`${paths.admin}?tab=id-review`} className={buttonStyle.plain}>
          ID review
        </Link>
        <Button tone="plain" onClick={() => onClose(alert)}>
          Let it take place
        </Button>
      </div>
    );
  if (alert.kind === 'blocked_booking' && alert.booking !== null)
    return mayOpen ? <KeepBlockedButton booking={alert.booking} /> : null;
  const links = LINKS[alert.kind];
  if (links !== undefined)
    return (
      <div className="flex flex-wrap gap-3">
        {links.map(({ tab, label, tone }) => (
          <Link key={tab} to={`${paths.admin}?tab=${tab}`} className={buttonStyle[tone ?? 'plain']}>
            {label}
          </Link>
        ))}
      </div>
    );
  if (alert.kind === 'code_missing' && alert.booking !== null)
    return (
      <Link to={paths.regeneratePin(alert.booking.id)} className={buttonStyle.plain}>
        Open the PIN page
      </Link>
    );
  if (alert.job === null || alert.kind === 'job_late') return null;
  return (
    <div className="flex flex-wrap gap-3">
      <RetryButton job={alert.job.id} />
      <Button tone="plain" onClick={() => onClose(alert)}>
        {alert.kind === 'refund_failed' ? 'Settled by hand' : 'Close'}
      </Button>
    </div>
  );
}

function KeepBlockedButton({ booking: { id, reference } }: { booking: NonNullable<Alert['booking']> }) {
  const [search] = useSearchParams();
  const keep = useMutation({
    mutationFn: () => keepBlockedBooking(id),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.alerts.all] },
    onSuccess: () => toast({ title: 'The session takes place', description: reference }),
  });
  return (
    <div className="flex flex-wrap gap-3">
      <Link to={withBooking(search, reference)} className={buttonStyle.plain}>
        Open the booking
      </Link>
      <Button tone="plain" busy={keep.isPending} onClick={() => keep.mutate()}>
        Keep the session
      </Button>
    </div>
  );
}

function RetryButton({ job }: { job: string }) {
  const retry = useMutation({
    mutationFn: () => retryJob(job),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.alerts.all] },
    onSuccess: () => toast({ title: 'It is tried again now' }),
  });
  return (
    <Button tone="plain" busy={retry.isPending} onClick={() => retry.mutate()}>
      Try again
    </Button>
  );
}

const closeSchema = z.object({
  reason: z.string().trim().min(3, 'Say what was done, for your colleagues.').max(500, 'At most 500 characters.'),
});

/** Closes a job that somebody has settled in another way, or lets a session take place without a verified ID. */
function CloseForm({ alert, onDone }: { alert: Alert; onDone: () => void }) {
  const isMissing = alert.kind === 'id_missing';
  const form = useSchemaForm(closeSchema, { defaultValues: { reason: '' } });
  const close = useMutation({
    mutationFn: ({ reason }: { reason: string }) =>
      isMissing ? keepWithoutId(alert.booking?.id ?? '', reason) : closeJob(alert.job?.id ?? '', reason),
    meta: { handled: true, invalidates: [queryKeys.alerts.all] },
    onSuccess: () => {
      toast({
        title: isMissing ? 'The session takes place' : 'Job closed',
        description: isMissing ? (alert.booking?.reference ?? '') : TITLES[alert.kind](alert),
      });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={close.mutateAsync} className="space-y-4">
      <p>
        {TITLES[alert.kind](alert)}.{' '}
        {isMissing
          ? 'You answer for them: the session takes place without a verified ID.'
          : `It is not tried again${alert.kind === 'refund_failed' ? ', and the payment counts as settled by you' : ''}.`}{' '}
        Your reason stays in the audit log.
      </p>
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <FormError control={form.control} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control}>{isMissing ? 'Let it take place' : 'Close the job'}</SubmitButton>
        <Button tone="plain" disabled={close.isPending} onClick={onDone}>
          Back
        </Button>
      </div>
    </Form>
  );
}
