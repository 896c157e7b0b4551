import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeCategory, INCIDENT_STATES, type IncidentState } from '#rules/business/feedback.ts';
import { formatDollars } from '#rules/money.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import {
  changeIncident,
  type Incident,
  INCIDENTS_SHOWN,
  readIncidents,
  readPhoto,
  refundClosedDoor,
} from './queries.ts';
import { CustomerReport } from './customer-report.tsx';
import { Ratings } from './ratings.tsx';
import { ReportForm } from './report-form.tsx';

const WORDS: Readonly<Record<IncidentState, { words: string; tone: 'bad' | 'warn' | 'good' }>> = {
  open: { words: 'Open', tone: 'bad' },
  in_progress: { words: 'In progress', tone: 'warn' },
  done: { words: 'Done', tone: 'good' },
};

/** Lists what broke or happened in the rooms, with photos and states, and a form for new reports. */
export function Incidents({
  studios,
  mayRefund,
}: {
  studios: readonly { readonly id: string; readonly name: string }[];
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
}) {
  useLive('staff', queryKeys.incidents.all);
  const incidents = useQuery({
    queryKey: queryKeys.incidents.of(),
    queryFn: readIncidents,
    refetchInterval: 60_000,
  });
  const [reporting, setReporting] = useState(false);
  const close = (): void => setReporting(false);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center justify-between gap-4">
        <h2 className="text-3xl">Incidents</h2>
        <Button onClick={() => setReporting(true)}>Report incident</Button>
      </div>
      <Loaded query={incidents} what="the incidents" why={describeLoadError} skeleton="h-72">
        {(data) => <List incidents={data} mayRefund={mayRefund} />}
      </Loaded>
      <Ratings />
      <Dialog open={reporting} title="Report incident" onClose={close}>
        {reporting ? <ReportForm studios={studios} onDone={close} /> : null}
      </Dialog>
    </>
  );
}

function List({ incidents, mayRefund }: { incidents: readonly Incident[]; mayRefund: boolean }) {
  if (incidents.length === 0) return <Empty>No incidents. Report anything that broke or happened in a room.</Empty>;
  return (
    <>
      <ul className="space-y-4">
        {incidents.map((incident) => (
          <li key={incident.id} className="bg-booth p-5">
            <Item incident={incident} mayRefund={mayRefund} />
          </li>
        ))}
      </ul>
      <p className="mt-4 text-sm text-fog">
        Times are in Sydney time.
        {incidents.length === INCIDENTS_SHOWN ? ` Showing the newest ${INCIDENTS_SHOWN}.` : ''}
      </p>
    </>
  );
}

function Item({ incident, mayRefund }: { incident: Incident; mayRefund: boolean }) {
  const { words, tone } = WORDS[incident.state];
  const [open, setOpen] = useState(false);
  return (
    <div className="grid gap-4 md:grid-cols-[1fr_14rem]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-3 font-semibold">
          {incident.studioName ?? 'No room'} <Chip tone={tone}>{words}</Chip>
          {incident.kind === 'lost' ? <Chip tone="plain">Lost property</Chip> : null}
          {incident.category === null ? null : <Chip tone="plain">{describeCategory(incident.category)}</Chip>}
        </p>
        <p className="mt-2 break-words whitespace-pre-line">{incident.description}</p>
        <p className="mt-2 text-sm text-fog">
          {describeReport(incident)}
          {incident.changedAt === null
            ? ''
            : ` ${words} since ${formatStudioDateTime(incident.changedAt)}, ${incident.changedBy ?? 'by the server'}.`}
        </p>
        <ClosedDoor incident={incident} mayRefund={mayRefund} />
        <CustomerReport incident={incident} />
        {incident.photos.length === 0 ? null : (
          <Button tone="plain" className="mt-3" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Show'} the {incident.photos.length === 1 ? 'photo' : `${incident.photos.length} photos`}
          </Button>
        )}
        {open ? incident.photos.map((name) => <Photo key={name} name={name} about={incident.description} />) : null}
      </div>
      <StateField incident={incident} />
    </div>
  );
}

const describeReport = ({ createdAt, reporter }: Incident): string =>
  `Reported ${formatStudioDateTime(createdAt)}, ${reporter ?? 'by the server'}.`;

const REFUND_CHANGES = [queryKeys.incidents.all, ...BOOKING_CHANGES];

/** Offers to refund the minutes in which a customer's door stayed closed. */
function ClosedDoor({ incident, mayRefund }: { incident: Incident; mayRefund: boolean }) {
  const refund = useMutation({
    mutationFn: () => refundClosedDoor(incident),
    meta: { title: 'Error', failure: 'Nothing was refunded. Try again.', invalidates: REFUND_CHANGES },
    onSuccess: () => toast({ title: 'Refunded', description: 'The customer will get an email.' }),
  });
  const { booking } = incident;
  if (booking === null) return null;
  const minutes = `${booking.closedMinutes} ${booking.closedMinutes === 1 ? 'minute' : 'minutes'}`;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-4">
      <Link to={`${paths.admin}?booking=${booking.reference}`} className="font-semibold underline">
        Booking {booking.reference}
      </Link>
      <Link to={`${paths.admin}?tab=doors`} className="font-semibold underline">
        Open door
      </Link>
      {booking.refunded ? (
        <span className="text-sm text-fog">The time at the closed door has been refunded.</span>
      ) : booking.backCents > 0 && !mayRefund ? (
        <span className="text-sm text-fog">
          Refunding {formatDollars(booking.backCents / 100)} for {minutes} needs the “Money” permission.
        </span>
      ) : booking.backCents > 0 ? (
        <Button tone="plain" busy={refund.isPending} onClick={() => refund.mutate()}>
          Refund {formatDollars(booking.backCents / 100)} for {minutes}
        </Button>
      ) : null}
    </div>
  );
}

function StateField({ incident }: { incident: Incident }) {
  const change = useMutation({
    mutationFn: (state: IncidentState) => changeIncident(incident.id, state),
    meta: {
      title: 'Error',
      failure: 'The status was not changed. Try again.',
      invalidates: [queryKeys.incidents.all, queryKeys.alerts.all],
    },
    onSuccess: (_done, state) => toast({ title: 'Status changed', description: WORDS[state].words }),
  });
  return (
    <SelectField
      label="Status"
      value={change.isPending ? change.variables : incident.state}
      disabled={change.isPending}
      options={INCIDENT_STATES.map((state) => ({ value: state, label: WORDS[state].words }))}
      onChange={(event) => {
        const chosen = INCIDENT_STATES.find((state) => state === event.target.value);
        if (chosen !== undefined) change.mutate(chosen);
      }}
    />
  );
}

function Photo({ name, about }: { name: string; about: string }) {
  const photo = useQuery({
    queryKey: queryKeys.incidentPhoto.of(name),
    queryFn: () => readPhoto(name),
    staleTime: Infinity,
  });
  return (
    <Loaded query={photo} what="the photo" why={describeLoadError} skeleton="mt-3 h-64">
      {(data) => <img src={data} alt={about.slice(0, 100)} className="mt-3 max-h-[60dvh] max-w-full" />}
    </Loaded>
  );
}
