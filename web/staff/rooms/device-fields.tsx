import { useQuery } from '@tanstack/react-query';
import { type Control, type FieldValues, type Path, useWatch } from 'react-hook-form';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { readLocks, type RoomLock } from './queries.ts';

type Place<In extends FieldValues, Out> = { readonly control: Control<In, unknown, Out>; readonly name: Path<In> };

/** The choice of a room's lock among those of the lock service. If the service does not answer, the lock stays unchanged. */
export function LockField<In extends FieldValues, Out>({
  control,
  name,
  room,
}: Place<In, Out> & {
  /** The name of the room; null for a new one. */
  readonly room: string | null;
}) {
  const chosen = String(useWatch({ control, name }) ?? '');
  const locks = useQuery({ queryKey: queryKeys.roomLocks.of(), queryFn: readLocks, retry: false });
  if (locks.isPending) return <Skeleton className="h-20" label="Loading the locks" />;
  if (locks.isError)
    return (
      <div className="space-y-2">
        <p className="text-sm font-semibold">Lock</p>
        <p className="text-sm text-fog">
          {chosen === '' ? 'The operator’s default. ' : `${chosen}. `}The locks could not be loaded.{' '}
          {describeError(locks.error, 'Check your connection.')}
        </p>
        <Button tone="plain" onClick={() => void locks.refetch()}>
          Try again
        </Button>
      </div>
    );
  return <ChoiceField control={control} name={name} label="Lock" options={toOptions(locks.data, chosen, room)} />;
}

/** The field for the plug of a room's lights. */
export function PlugField<In extends FieldValues, Out>({ control, name }: Place<In, Out>) {
  return (
    <TextField
      control={control}
      name={name}
      label="Light plug"
      autoComplete="off"
      hint="The name set by the operator. Leave empty to use the default plug."
    />
  );
}

function toOptions(locks: readonly RoomLock[], chosen: string, room: string | null) {
  // If staff have chosen no lock, an open room has the lock that the operator's settings assign to it.
  const own = chosen === '' && room !== null ? locks.find((lock) => lock.room === room) : undefined;
  const unknown = chosen !== '' && locks.every(({ id }) => id !== chosen);
  return [
    {
      value: '',
      label: own === undefined ? 'The operator’s default' : `The operator’s default: ${own.name} (${own.id})`,
    },
    ...(unknown ? [{ value: chosen, label: `${chosen}, not known to the lock service` }] : []),
    ...locks.map((lock) => ({ value: lock.id, label: describeLock(lock, room) })),
  ];
}

/** Describes a lock: "Front door (SP1), battery 91 %, used by Studio B". */
function describeLock({ id, name, batteryPercent, room: usedBy }: RoomLock, room: string | null): string {
  return [
    name === id ? id : `${name} (${id})`,
    ...(batteryPercent === null ? [] : [`battery ${batteryPercent} %`]),
    ...(usedBy === null || usedBy === room ? [] : [`used by ${usedBy}`]),
  ].join(', ');
}
