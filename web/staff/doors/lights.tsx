import { useMutation } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Lights, switchLights } from './queries.ts';

/** The lights of the rooms, with a switch for each plug. */
export function LightsOfRooms({ lights }: { lights: readonly Lights[] }) {
  return (
    <section className="mt-10" aria-labelledby="lights">
      <h3 id="lights" className="text-2xl">
        Lights
      </h3>
      <p className="mt-2 mb-4 text-sm text-fog">
        Lights turn on 5 minutes before a session and off 10 minutes after it. If you switch them here, they stay that
        way until then.
      </p>
      {lights.length === 0 ? (
        <Empty>No rooms yet.</Empty>
      ) : (
        <ul className="grid gap-4 md:grid-cols-2 lg:grid-cols-3">
          {lights.map((light) => (
            <li key={light.plug ?? ''} className="bg-booth p-5">
              <PlugSwitch lights={light} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const LIST = new Intl.ListFormat('en-AU', { type: 'conjunction' });

function PlugSwitch({ lights: { plug, rooms, isSetUp, on } }: { lights: Lights }) {
  const names = LIST.format(rooms.map(({ studioName }) => studioName));
  const change = useMutation({
    mutationFn: (turnOn: boolean) => switchLights({ studioId: rooms[0]?.studioId, on: turnOn }),
    meta: { invalidates: [queryKeys.doors.all], failure: 'The lights could not be switched.' },
    onSuccess: (_done, turnedOn) => toast({ title: turnedOn ? 'Lights on' : 'Lights off', description: names }),
  });
  return (
    <>
      <h4 className="flex flex-wrap items-center gap-3 text-xl">
        {names} <State isSetUp={isSetUp} on={on} />
      </h4>
      {isSetUp ? null : (
        <p className="mt-2 text-sm text-fog">
          The plug {plug} is not set up. Choose another one on the Rooms tab, or ask the operator.
        </p>
      )}
      {rooms.length > 1 ? <p className="mt-2 text-sm text-fog">These rooms share one plug.</p> : null}
      {isSetUp ? (
        <div className="mt-4 flex flex-wrap gap-3">
          <Button
            tone="plain"
            aria-label={`Turn on, ${names}`}
            disabled={change.isPending || on === true}
            onClick={() => change.mutate(true)}
          >
            Turn on
          </Button>
          <Button
            tone="plain"
            aria-label={`Turn off, ${names}`}
            disabled={change.isPending || on === false}
            onClick={() => change.mutate(false)}
          >
            Turn off
          </Button>
        </div>
      ) : null}
    </>
  );
}

function State({ isSetUp, on }: Pick<Lights, 'isSetUp' | 'on'>) {
  if (!isSetUp) return <Chip tone="bad">Not set up</Chip>;
  if (on === null) return <Chip tone="bad">Plug not responding</Chip>;
  return <Chip tone={on ? 'good' : 'plain'}>{on ? 'On' : 'Off'}</Chip>;
}
