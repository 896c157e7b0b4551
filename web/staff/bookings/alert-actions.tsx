import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Alert, alertAddress, type AlertKind, describeAlert } from '#rules/alerts/alerts.ts';
import { type Permission, PERMISSION_WORDS } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { closeJob, keepBlockedBooking, keepWithoutId, retryJob } from './queries.ts';

type May = (permission: Permission) => boolean;

type Context = { readonly may: May; readonly onOpen: () => void; readonly label: string };

/** A form with which staff settle an alert for a reason. `about`: what the toast says was settled. */
export type Settling = {
  readonly explanation: string;
  readonly button: string;
  readonly done: string;
  readonly about: (alert: Alert) => string;
  readonly send: (alert: Alert, reason: string) => Promise<unknown>;
};

/** How staff deal with the alerts of a kind in the list itself. `onOpen` opens the dialog with the title `dialog`. */
type Handling = {
  readonly actions: (alert: Alert, context: Context) => ReactNode;
  readonly dialog?: string;
  /** The form in the dialog. Without one, the dialog shows the dispute of the booking. */
  readonly settling?: Settling;
  /** Whether the link to the page is the main action. */
  readonly isMain?: true;
};

const CLOSING: Settling = {
  explanation: 'We won’t try again.',
  button: 'Close task',
  done: 'Task closed',
  about: (alert) => describeAlert(alert).title,
  send: ({ job }, reason) => closeJob(job?.id ?? '', reason),
};
/** A job that staff can start again, or settle in another way. */
const job = (close: string, settling: Settling): Handling => ({
  dialog: 'Close this task?',
  settling,
  actions: (alert, { onOpen }) =>
    alert.job === null ? null : (
      <>
        <RetryButton job={alert.job.id} />
        <Button tone="plain" onClick={onOpen}>
          {close}
        </Button>
      </>
    ),
});
const dispute = (dialog: string): Handling => ({
  dialog,
  actions: ({ booking }, { may, onOpen, label }) =>
    may('money') && booking !== null ? <Button onClick={onOpen}>{label}</Button> : null,
});

/** A kind that is missing here has no actions in the list. */
export const HANDLING: Readonly<Partial<Record<AlertKind, Handling>>> = {
  code_held: dispute('Decide about this booking'),
  dispute: dispute('Disputed payment'),
  id_missing: {
    dialog: 'Allow this session?',
    settling: {
      explanation: 'The session goes ahead without a verified ID, and you vouch for the customer.',
      button: 'Allow session',
      done: 'Session allowed',
      about: ({ booking }) => booking?.reference ?? '',
      send: ({ booking }, reason) => keepWithoutId(booking?.id ?? '', reason),
    },
    actions: (_alert, { may, onOpen }) => (
      <>
        {may('identity') ? (
          <Link to={`${paths.admin}?tab=id-review`} className={buttonStyle.plain}>
            Review ID
          </Link>
        ) : null}
        <Button tone="plain" onClick={onOpen}>
          Allow session
        </Button>
      </>
    ),
  },
  blocked_booking: {
    actions: ({ booking }, { may }) =>
      may('bookings') && booking !== null ? <KeepBlockedButton booking={booking} /> : null,
  },
  door_closed: {
    isMain: true,
    actions: () => (
      <Link to={`${paths.admin}?tab=incidents`} className={buttonStyle.plain}>
        View incidents
      </Link>
    ),
  },
  code_missing: {
    actions: ({ booking }) =>
      booking === null ? null : (
        <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.plain}>
          Open PIN page
        </Link>
      ),
  },
  job_late: {
    actions: (alert) => (alert.job !== null && alert.booking === null ? <RetryButton job={alert.job.id} /> : null),
  },
  refund_failed: job('Mark as settled', {
    ...CLOSING,
    explanation: 'We won’t try again, and the payment is marked as settled.',
  }),
  job_failing: job('Close task', CLOSING),
  mail_bounced: job('Close task', CLOSING),
};

/** The actions for an alert: a link to the page where staff deal with it, and actions in the list itself. `onOpen` opens the alert's dialog. */
export function AlertActions({ alert, may, onOpen }: { alert: Alert; may: May; onOpen: () => void }) {
  const { action } = describeAlert(alert);
  const handling = HANDLING[alert.kind];
  const missing = action.permission !== null && !may(action.permission) ? action.permission : null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      {missing === null ? null : (
        <p className="text-sm text-fog">Ask a colleague with the “{PERMISSION_WORDS[missing].label}” permission.</p>
      )}
      {missing !== null || action.to === alertAddress(alert) ? null : (
        <Link to={action.to} className={buttonStyle[handling?.isMain ? 'signal' : 'plain']}>
          {action.label}
        </Link>
      )}
      {handling?.actions(alert, { may, onOpen, label: action.label })}
    </div>
  );
}

function KeepBlockedButton({ booking: { id, reference } }: { booking: NonNullable<Alert['booking']> }) {
  const keep = useMutation({
    mutationFn: () => keepBlockedBooking(id),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.alerts.all] },
    onSuccess: () => toast({ title: 'Session allowed', description: reference }),
  });
  return (
    <Button tone="plain" busy={keep.isPending} onClick={() => keep.mutate()}>
      Keep booking
    </Button>
  );
}

function RetryButton({ job }: { job: string }) {
  const retry = useMutation({
    mutationFn: () => retryJob(job),
    meta: { title: 'Error', failure: 'Nothing was changed. Try again.', invalidates: [queryKeys.alerts.all] },
    onSuccess: () => toast({ title: 'Retrying now' }),
  });
  return (
    <Button tone="plain" busy={retry.isPending} onClick={() => retry.mutate()}>
      Try again
    </Button>
  );
}
