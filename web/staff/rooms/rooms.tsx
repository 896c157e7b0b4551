import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSearchParams } from '#web/router/router.tsx';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { ORDER_CHANGES, orderRooms, readRooms, type StaffRoom } from './queries.ts';
import { RoomForm } from './room-form.tsx';

/** Rooms for staff: add, edit, order, and retire. `room` in the address opens the form of that room, for links from alerts. */
export function Rooms() {
  useLive('staff', queryKeys.staffRooms.all);
  const rooms = useQuery({ queryKey: queryKeys.staffRooms.of(), queryFn: readRooms });
  const [search, setSearch] = useSearchParams();
  const [chosen, setOpen] = useState<StaffRoom | 'new' | null>(null);
  const order = useMutation({
    mutationFn: orderRooms,
    meta: { handled: true, invalidates: ORDER_CHANGES },
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'The order was not changed. Try again.'),
        tone: 'bad',
      }),
  });
  const list = rooms.data;
  const open = chosen ?? list?.find(({ id, room }) => [id, room.name].includes(search.get('room') ?? '')) ?? null;
  function close(): void {
    setOpen(null);
    if (search.has('room')) setSearch({ tab: 'rooms' }, { replace: true });
  }
  function move(at: number, step: 1 | -1): void {
    const ids = (list ?? []).map(({ id }) => id);
    const id = ids[at];
    if (id !== undefined) order.mutate(ids.toSpliced(at, 1).toSpliced(at + step, 0, id));
  }
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Rooms</h2>
          <p className="mt-2 text-fog">The home page and the booking page show the rooms in this order.</p>
        </div>
        <Button onClick={() => setOpen('new')}>Add room</Button>
      </div>
      <Loaded query={rooms} what="the rooms" why={describeLoadError} skeleton="h-96">
        {(list) =>
          list.length === 0 ? (
            <Empty>No rooms yet.</Empty>
          ) : (
            <ol className="divide-y divide-line border-y border-line">
              {list.map((room, index) => (
                <RoomRow
                  key={room.id}
                  of={room}
                  isFirst={index === 0}
                  isLast={index === list.length - 1}
                  busy={order.isPending}
                  onEdit={() => setOpen(room)}
                  onMove={(step) => move(index, step)}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Dialog
        open={open !== null}
        title={open === null || open === 'new' ? 'New room' : open.room.name}
        onClose={close}
        wide
      >
        {open === null ? null : <RoomForm of={open === 'new' ? null : open} onDone={close} />}
      </Dialog>
    </>
  );
}

function RoomRow({
  of: { room, upcoming, opened },
  isFirst,
  isLast,
  busy,
  onEdit,
  onMove,
}: {
  of: StaffRoom;
  isFirst: boolean;
  isLast: boolean;
  busy: boolean;
  onEdit: () => void;
  onMove: (step: 1 | -1) => void;
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-4 py-5">
      <div>
        <p className="flex flex-wrap items-center gap-3 text-xl font-bold">
          {room.name}
          {room.active ? null : <Chip>{opened ? 'Retired' : 'Draft'}</Chip>}
        </p>
        <p className="mt-1 text-sm text-fog">
          {[room.title, upcoming === 1 ? '1 upcoming booking' : `${upcoming} upcoming bookings`]
            .filter(Boolean)
            .join(', ')}
        </p>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" aria-label={`Up, ${room.name}`} disabled={isFirst || busy} onClick={() => onMove(-1)}>
          Up
        </Button>
        <Button tone="plain" aria-label={`Down, ${room.name}`} disabled={isLast || busy} onClick={() => onMove(1)}>
          Down
        </Button>
        <Button tone="plain" aria-label={`Edit ${room.name}`} onClick={onEdit}>
          Edit
        </Button>
      </div>
    </li>
  );
}
