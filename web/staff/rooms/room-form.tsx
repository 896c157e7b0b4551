import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { type Room, roomSchema } from '#rules/business/room-change.ts';
import { AppError, describeError } from '#web/lib/errors.ts';
import { CheckField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { LockField, PlugField } from './device-fields.tsx';
import { ALWAYS, OpeningHours } from './opening-hours.tsx';
import { Photos } from './photos.tsx';
import { ROOM_CHANGES, setRoom, type StaffRoom } from './queries.ts';

const formSchema = roomSchema.omit({ photos: true, openHours: true }).extend({
  features: z
    .string()
    .transform((text) => text.split('\n').flatMap((line) => line.trim() || []))
    .pipe(roomSchema.shape.features),
  lockId: z
    .string()
    .trim()
    .max(120)
    .transform((text) => (text === '' ? null : text)),
  plug: z
    .string()
    .trim()
    .max(80)
    .transform((text) => (text === '' ? null : text)),
});
type Typed = z.input<typeof formSchema>;
const EMPTY: Typed = {
  name: '',
  title: '',
  summary: '',
  description: '',
  features: '',
  active: false,
  lockId: '',
  plug: '',
};

/** Adds a room, or edits the given one. */
export function RoomForm({ of, onDone }: { of: StaffRoom | null; onDone: () => void }) {
  const form = useSchemaForm(formSchema, { defaultValues: of === null ? EMPTY : toTyped(of.room) });
  const { control } = form;
  const [photos, setPhotos] = useState<readonly string[]>(of?.room.photos ?? []);
  const [openHours, setOpenHours] = useState<readonly boolean[]>(of?.room.openHours ?? ALWAYS);
  const save = useMutation({
    mutationFn: (room: Omit<Room, 'photos' | 'openHours'>) =>
      setRoom({ studioId: of?.id ?? null, room: { ...room, photos: [...photos], openHours: [...openHours] } }),
    meta: { handled: true, invalidates: ROOM_CHANGES },
    onSuccess: (_saved, { name }) => {
      toast({ title: `${name} saved`, description: 'The site updates in a moment.' });
      onDone();
    },
    onError: (error) => {
      const at = error instanceof AppError ? error.details['field'] : undefined;
      const field = (['name', 'lockId', 'plug'] as const).find((field) => at === `room.${field}`);
      const message = describeError(error, 'Nothing was saved. Please try again.');
      refuseForm(form, field === undefined ? { message } : { field, message });
    },
  });
  return (
    <Form form={form} onSend={save.mutateAsync} className="space-y-6">
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField control={control} name="name" label="Name" required autoComplete="off" />
        <TextField
          control={control}
          name="title"
          label="Room type"
          hint="Shown on the home page, for example “The vinyl room”."
        />
        <TextField control={control} name="summary" label="Home page sentence" className="sm:col-span-2" />
        <TextField
          control={control}
          name="description"
          label="Booking page description"
          lines={3}
          className="sm:col-span-2"
        />
        <TextField
          control={control}
          name="features"
          label="Equipment"
          lines={5}
          hint="One item per line, up to 12."
          className="sm:col-span-2"
        />
        <LockField control={control} name="lockId" room={of?.room.name ?? null} />
        <PlugField control={control} name="plug" />
      </div>
      <Photos photos={photos} onChange={setPhotos} />
      <OpeningHours hours={openHours} onChange={setOpenHours} />
      <CheckField control={control} name="active">
        Customers can book this room
      </CheckField>
      {of === null || of.upcoming === 0 ? null : (
        <p className="text-sm text-fog">
          {of.upcoming === 1 ? 'One booking has' : `${of.upcoming} bookings have`} not ended. If you stop new bookings
          for this room, existing ones stay and keep their access codes.
        </p>
      )}
      <FormEnd control={control} onLeave={onDone}>
        Save room
      </FormEnd>
    </Form>
  );
}

function toTyped({ photos: _photos, openHours: _hours, features, lockId, plug, ...room }: Room): Typed {
  return { ...room, features: features.join('\n'), lockId: lockId ?? '', plug: plug ?? '' };
}
