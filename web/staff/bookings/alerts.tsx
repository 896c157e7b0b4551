import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { type Alert, alertKey, type AlertWords, describeAlert } from '#rules/alerts/alerts.ts';
import type { Permission } from '#rules/permissions.ts';
import { formatStudioDate, formatStudioDateTime, formatStudioTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { useSearchParams } from '#web/router/router.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { AlertActions, HANDLING, type Settling } from './alert-actions.tsx';
import { BookingLink } from './booking-link.tsx';
import { DecideDispute } from './decide-dispute.tsx';
import { ALERTS_SHOWN, readAlerts } from './queries.ts';

/**
 * Lists the alerts with their actions, oldest first. `may`: whether the account has a permission. `renderDisputes`: renders the disputes of a
 * booking with their evidence; null if the account has no permission to decide about them.
 */
export function Alerts({
  may,
  renderDisputes,
}: {
  may: (permission: Permission) => boolean;
  renderDisputes: ((booking: { readonly id: string; readonly reference: string }) => ReactNode) | null;
}) {
  useLive('staff', queryKeys.alerts.all);
  const alerts = useQuery({ queryKey: queryKeys.alerts.of(), queryFn: readAlerts, refetchInterval: 60_000 });
  const [open, setOpen] = useState<Alert | null>(null);
  const handling = open === null ? undefined : HANDLING[open.kind];
  const close = (): void => setOpen(null);
  return (
    <section aria-labelledby="alerts" className="mb-10">
      <h2 id="alerts" className="mb-3 text-2xl">
        Needs attention
        {alerts.data === undefined || alerts.data.length === 0
          ? ''
          : ` (${alerts.data.length}${alerts.data.length === ALERTS_SHOWN ? ' or more' : ''})`}
      </h2>
      <Loaded query={alerts} what="the alerts" why={describeLoadError} skeleton="h-16">
        {(data) => <List alerts={data} may={may} onOpen={setOpen} />}
      </Loaded>
      <Dialog open={open !== null} title={handling?.dialog ?? ''} onClose={close}>
        {open === null ? null : handling?.settling !== undefined ? (
          <SettleForm alert={open} settling={handling.settling} onDone={close} />
        ) : open.booking === null ? null : (
          <div className="space-y-6">
            {renderDisputes?.(open.booking)}
            {open.kind === 'dispute' ? null : (
              <DecideDispute booking={open.booking} mayCancel={may('bookings')} onDone={close} />
            )}
          </div>
        )}
      </Dialog>
    </section>
  );
}

function List({
  alerts,
  may,
  onOpen,
}: {
  alerts: readonly Alert[];
  may: (permission: Permission) => boolean;
  onOpen: (alert: Alert) => void;
}) {
  const [search] = useSearchParams();
  const followed = search.get('alert');
  const isGone =
    followed !== null && alerts.length < ALERTS_SHOWN && !alerts.some((alert) => alertKey(alert) === followed);
  return (
    <>
      {isGone ? (
        <p role="status" className="mb-3 text-fog">
          The alert you followed is no longer on your list. It has been resolved, or only colleagues with other
          permissions can see it.
        </p>
      ) : null}
      {alerts.length === 0 ? (
        <p className="text-fog">{describeNothing(may)}</p>
      ) : (
        <ul className="space-y-3">
          {alerts.map((alert) => (
            <AlertItem
              key={alertKey(alert)}
              alert={alert}
              may={may}
              isFollowed={alertKey(alert) === followed}
              onOpen={() => onOpen(alert)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** An alert. `isFollowed`: the user came from a link to this alert in a mail. */
function AlertItem({
  alert,
  may,
  isFollowed,
  onOpen,
}: {
  alert: Alert;
  may: (permission: Permission) => boolean;
  isFollowed: boolean;
  onOpen: () => void;
}) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isFollowed) item.current?.focus();
  }, [isFollowed]);
  const words = describeAlert(alert);
  const { booking } = alert;
  return (
    <li
      ref={item}
      tabIndex={isFollowed ? -1 : undefined}
      className={`flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-l-4 bg-deck p-4 ${words.isUrgent ? 'border-bad' : 'border-warn'} ${isFollowed ? 'outline-2 outline-signal' : ''}`}
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold">{words.title}</p>
        <p className="mt-1 text-sm break-words text-fog">
          {booking === null ? null : (
            <>{may('bookings') ? <BookingLink reference={booking.reference} /> : booking.reference}, </>
          )}
          {describeFacts(alert, words)}
        </p>
        {words.support === null ? null : (
          <p className="mt-1 text-xs break-words text-fog">For support: {words.support}</p>
        )}
      </div>
      <AlertActions alert={alert} may={may} onOpen={onOpen} />
    </li>
  );
}

/** Describes the session, the customer, why staff have to act, and since when. */
function describeFacts({ booking, customer, since }: Alert, { title, why }: AlertWords): string {
  const parts = [
    booking === null
      ? null
      : `${booking.studioName}, ${formatStudioDate(booking.start, 'short')} ${formatStudioTime(booking.start)}`,
    customer !== null && title.includes(customer) ? null : customer,
    ...why,
    `Since ${formatStudioDateTime(since, 'short')}`,
  ];
  return parts.flatMap((part) => (part === null ? [] : [part.replace(/\.$/, '')])).join('. ');
}

const settlingSchema = z.object({
  reason: z.string().trim().min(3, 'Tell your colleagues what was done.').max(500, 'Use at most 500 characters.'),
});

/** Closes a job that staff have settled in another way, or lets a session take place without a verified ID. */
function SettleForm({ alert, settling, onDone }: { alert: Alert; settling: Settling; onDone: () => void }) {
  const form = useSchemaForm(settlingSchema, { defaultValues: { reason: '' } });
  const settle = useMutation({
    mutationFn: ({ reason }: { reason: string }) => settling.send(alert, reason),
    meta: { handled: true, invalidates: [queryKeys.alerts.all] },
    onSuccess: () => {
      toast({ title: settling.done, description: settling.about(alert) });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={settle.mutateAsync} className="space-y-4">
      <p>
        {describeAlert(alert).title}. {settling.explanation} Your reason is kept in the audit log.
      </p>
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <FormEnd control={form.control} leave="Back" onLeave={onDone}>
        {settling.button}
      </FormEnd>
    </Form>
  );
}

/** The permissions that have their own alerts, and the topics of these alerts. */
const ABOUT = [
  ['bookings', 'bookings and doors'],
  ['identity', 'IDs'],
  ['money', 'money'],
] as const satisfies readonly (readonly [Permission, string])[];

/** Explains that no alert is shown, and which alerts this account would not see. */
function describeNothing(may: (permission: Permission) => boolean): string {
  const hidden = ABOUT.filter(([permission]) => !may(permission)).map(([, about]) => about);
  if (hidden.length === 0) return 'Nothing needs attention.';
  return `Nothing you can see needs attention. Your colleagues see alerts about ${new Intl.ListFormat('en-AU').format(hidden)}.`;
}
