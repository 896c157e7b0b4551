import { useState } from 'react';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { useSession } from '#web/data/session.tsx';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import {
  generateCode,
  processMails,
  readAccessCodes,
  runTrial,
  scheduleMail,
  type TestBooking,
  type Trial,
  useTestBookings,
} from './queries.ts';
import { type Outcome, Results, type Tool, useResults } from './results.tsx';

/** Buttons that run each step from a booking to an open door. */
export function IgloohomeTools() {
  const { user } = useSession();
  const { results, running, run, clear } = useResults();
  const bookings = useTestBookings(user?.id ?? null);
  const [chosen, setChosen] = useState('');
  const booking = bookings.data?.find((booking) => booking.id === chosen) ?? bookings.data?.[0] ?? null;
  return (
    <>
      <ToolButtons title="Locks" tools={lockTools} running={running} onRun={run} />
      <section aria-label="A test booking" className="mt-10">
        <h2 className="mb-4 text-3xl">A test booking</h2>
        {bookings.data ? (
          <ChooseBooking bookings={bookings.data} value={booking?.id ?? ''} onChange={setChosen} />
        ) : (
          <Skeleton className="h-20" label="Loading the test bookings" />
        )}
        {booking ? (
          <ToolButtons tools={bookingTools(booking, user?.email ?? '')} running={running} onRun={run} />
        ) : null}
      </section>
      <ToolButtons title="Emails and codes" tools={queueTools} running={running} onRun={run} />
      <Results results={results} onClear={clear} />
    </>
  );
}

function ToolButtons({
  title = '',
  tools,
  running,
  onRun,
}: {
  title?: string;
  tools: readonly Tool[];
  running: string | null;
  onRun: (tool: Tool) => void;
}) {
  return (
    <div className={title === '' ? 'mt-4' : 'mt-10 first:mt-0'}>
      {title === '' ? null : <h2 className="mb-4 text-3xl">{title}</h2>}
      <div className="flex flex-wrap gap-3">
        {tools.map((tool) => (
          <Button
            key={tool.name}
            tone="plain"
            busy={running === tool.name}
            disabled={running !== null}
            onClick={() => onRun(tool)}
          >
            {tool.name}
          </Button>
        ))}
      </div>
    </div>
  );
}

function ChooseBooking({
  bookings,
  value,
  onChange,
}: {
  bookings: readonly TestBooking[];
  value: string;
  onChange: (id: string) => void;
}) {
  if (bookings.length === 0)
    return (
      <Notice tone="plain">
        <p>These tools need a test booking. Create one on the Test bookings page.</p>
      </Notice>
    );
  return (
    <SelectField
      label="Booking"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      options={bookings.map((booking) => ({
        value: booking.id,
        label: `${booking.studioName}, ${formatStudioRange(booking.startTime, booking.endTime)}`,
      }))}
    />
  );
}

function toOutcome(trial: Trial): Outcome {
  const { success, message, error, pinData, response } = trial;
  return { ok: success, message: success ? (message ?? 'Done.') : (error ?? 'Failed.'), detail: pinData ?? response };
}

const lockTools: readonly Tool[] = [
  { name: 'Config Test', work: async () => toOutcome(await runTrial('test-igloohome-config')) },
  { name: 'OAuth Test', work: async () => toOutcome(await runTrial('test-igloohome-oauth')) },
  { name: 'PIN Generation Test', work: async () => toOutcome(await runTrial('test-igloohome-pin')) },
];

const queueTools: readonly Tool[] = [
  {
    name: 'Process Emails',
    work: async () => {
      const { processed } = await processMails();
      return { ok: true, message: `${processed} ${processed === 1 ? 'job' : 'jobs'} processed.` };
    },
  },
  {
    name: 'View Access Codes',
    work: async () => {
      const codes = await readAccessCodes();
      return { ok: true, message: `The latest ${codes.length} access codes.`, detail: codes };
    },
  },
];

function bookingTools(booking: TestBooking, email: string): readonly Tool[] {
  return [
    {
      name: 'Generate Access Code',
      work: async () => {
        const code = await generateCode(booking.id);
        const message =
          code.pinCode === null
            ? `The code is shown from ${formatStudioTime(new Date(code.releaseAt))}.`
            : `PIN ${code.pinCode}, works from ${formatStudioTime(new Date(code.worksFrom))}.`;
        return { ok: true, message, detail: code };
      },
    },
    {
      name: 'Send Test Email',
      work: async () => {
        await scheduleMail(booking, email, 'now');
        const { processed } = await processMails();
        return { ok: true, message: `The access code email to ${email} is on its way.`, detail: { processed } };
      },
    },
    {
      name: 'Schedule Email',
      work: async () => {
        const at = await scheduleMail(booking, email, 'due');
        return { ok: true, message: `The access code email to ${email} is due at ${formatStudioTime(at)}.` };
      },
    },
  ];
}
