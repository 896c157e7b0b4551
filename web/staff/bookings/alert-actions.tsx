import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Alert, alertAddress, describeAlert } from '#rules/alerts/alerts.ts';
import { type Permission, PERMISSION_WORDS } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.tsx';
import { keepBlockedBooking, retryJob } from './queries.ts';

type May = (permission: Permission) => boolean;

/** The actions for an alert: a link to the page where staff deal with it, and actions in the list itself. `onOpen` opens the alert's dialog. */
export function AlertActions({ alert, may, onOpen }: { alert: Alert; may: May; onOpen: () => void }) {
  const { action } = describeAlert(alert);
  const missing = action.permission !== null && !may(action.permission) ? action.permission : null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      {missing === null ? null : (
        <p className="text-sm text-fog">Ask a colleague with the “{PERMISSION_WORDS[missing].label}” permission.</p>
      )}
      {missing !== null || action.to === alertAddress(alert) ? null : (
        <Link to={action.to} className={buttonStyle[alert.kind === 'door_closed' ? 'signal' : 'plain']}>
          {action.label}
        </Link>
      )}
      {describeHere(alert, { may, onOpen, label: action.label })}
    </div>
  );
}

/** Renders the actions in the list itself. */
function describeHere(
  alert: Alert,
  { may, onOpen, label }: { may: May; onOpen: () => void; label: string },
): ReactNode {
  const { kind, booking, job } = alert;
  switch (kind) {
    case 'code_held':
    case 'dispute':
      return may('money') && booking !== null ? <Button onClick={onOpen}>{label}</Button> : null;
    case 'id_missing':
      return (
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
      );
    case 'blocked_booking':
      return may('bookings') && booking !== null ? <KeepBlockedButton booking={booking} /> : null;
    case 'door_closed':
      return (
        <Link to={`${paths.admin}?tab=incidents`} className={buttonStyle.plain}>
          View incidents
        </Link>
      );
    case 'code_missing':
      return booking === null ? null : (
        <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.plain}>
          Open PIN page
        </Link>
      );
    case 'job_late':
      return job !== null && booking === null ? <RetryButton job={job.id} /> : null;
    case 'refund_failed':
    case 'job_failing':
    case 'mail_bounced':
      return job === null ? null : (
        <>
          <RetryButton job={job.id} />
          <Button tone="plain" onClick={onOpen}>
            {kind === 'refund_failed' ? 'Mark as settled' : 'Close task'}
          </Button>
        </>
      );
    default:
      return null;
  }
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
