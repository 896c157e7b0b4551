import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sinceStart } from '#rules/doors.ts';
import { formatStudioDateTime, formatStudioTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { DoorLog } from './door-log.tsx';
import { LightsOfRooms } from './lights.tsx';
import { OpenForm } from './open-door-form.tsx';
import { StaffCodes } from './staff-codes.tsx';
import { type Door, readDoors } from './queries.ts';

const READ_AGAIN_MS = 30_000;

/** The doors with their batteries, last openings and codes, and the lights. */
export function Doors() {
  useLive('staff', queryKeys.doors.all);
  const doors = useQuery({
    queryKey: queryKeys.doors.of(),
    queryFn: readDoors,
    refetchInterval: READ_AGAIN_MS,
  });
  const [opening, setOpening] = useState<Door | null>(null);
  return (
    <Loaded query={doors} what="the doors" why={describeLoadError} skeleton="h-72">
      {(data) => (
        <>
          <h2 className="text-3xl">Doors and lights</h2>
          <ul className="mt-6 grid gap-4 md:grid-cols-2 lg:grid-cols-3">
            {data.doors.map((door) => (
              <li key={door.studioId} className="bg-booth p-5">
                <DoorFacts door={door} />
                {door.lockId !== null && data.canOpen ? (
                  <Button tone="plain" className="mt-4" onClick={() => setOpening(door)}>
                    Open door <span className="sr-only">of {door.studioName}</span>
                  </Button>
                ) : null}
              </li>
            ))}
          </ul>
          <p className="mt-4 text-sm text-fog">Times are in Sydney time.</p>
          <LightsOfRooms lights={data.lights} />
          <section className="mt-10" aria-labelledby="staff-codes">
            <h3 id="staff-codes" className="text-2xl">
              Codes without a booking
            </h3>
            <StaffCodes rooms={withLock(data.doors)} />
          </section>
          <section className="mt-10" aria-labelledby="door-log">
            <h3 id="door-log" className="text-2xl">
              Door log
            </h3>
            <DoorLog doors={withLock(data.doors)} />
          </section>
          <Dialog
            open={opening !== null}
            title={`Open the door of ${opening?.studioName ?? 'the studio'}?`}
            onClose={() => setOpening(null)}
          >
            {opening === null ? null : (
              <OpenForm key={opening.studioId} door={opening} onDone={() => setOpening(null)} />
            )}
          </Dialog>
        </>
      )}
    </Loaded>
  );
}

const withLock = (doors: readonly Door[]): readonly Door[] => doors.filter(({ lockId }) => lockId !== null);

function DoorFacts({ door }: { door: Door }) {
  const { lastOpening } = door;
  return (
    <>
      <h3 className="flex flex-wrap items-center gap-3 text-2xl">
        {door.studioName} <LockState door={door} />
      </h3>
      <p className="mt-3 text-sm text-fog">
        {lastOpening === null
          ? 'No code has been used yet.'
          : `${lastOpening.reference} opened it ${sinceStart(lastOpening.at, lastOpening.startTime)}: ${formatStudioDateTime(lastOpening.at)}.`}
      </p>
      <LastHeard door={door} />
      {door.codes.length === 0 ? (
        <p className="mt-2 text-sm text-fog">No code works right now.</p>
      ) : (
        <ul className="mt-2 text-sm text-fog">
          {door.codes.map((code) => (
            <li key={code.reference + code.endsAt.toISOString()}>
              The code of {code.reference} works until {formatStudioTime(code.endsAt)}.
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function LockState({ door }: { door: Door }) {
  const { lockId, known: listed, online, batteryPercent, isBatteryLow: low } = door;
  if (lockId === null) return <Chip tone="warn">No lock</Chip>;
  if (listed === false) return <Chip tone="bad">Lock unknown</Chip>;
  return (
    <>
      {online === null ? null : <Chip tone={online ? 'good' : 'bad'}>{online ? 'Online' : 'Offline'}</Chip>}
      {batteryPercent === null ? (
        <Chip>Battery unknown</Chip>
      ) : (
        <Chip tone={low ? 'bad' : 'good'}>{`Battery ${batteryPercent} %${low ? ', replace it' : ''}`}</Chip>
      )}
      {listed === null ? <Chip tone="bad">Lock system not responding</Chip> : null}
    </>
  );
}

/** Shows when the lock was last heard from, as far as that is known. */
function LastHeard({ door: { lockId, online, heardAt, checkedAt } }: { door: Door }) {
  if (lockId === null || checkedAt === null) return null;
  const heard = heardAt === null ? 'No contact yet' : `Last contact ${formatStudioDateTime(heardAt)}`;
  return (
    <p className="mt-2 text-sm text-fog">
      {online === null && heardAt === null ? '' : `${heard}. `}Checked {formatStudioDateTime(checkedAt)}.
    </p>
  );
}
