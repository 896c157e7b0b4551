import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { slotLabel } from '#rules/slots.ts';
import { formatStudioRange, hourExists, isStudioDate, slotStart, studioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { AppError, describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { makeStaffCode } from './code-queries.ts';

type Room = { readonly studioId: string; readonly studioName: string };
const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: slotLabel(hour) }));
const dayField = z.string().refine(isStudioDate, 'Choose a day.');
const codeSchema = z
  .object({
    studioId: z.string(),
    name: z.string().trim().min(1, 'Enter who the code is for.').max(60, 'Use at most 60 characters.'),
    fromDate: dayField,
    fromHour: z.string(),
    toDate: dayField,
    toHour: z.string(),
  })
  .transform(({ studioId, name, ...typed }, context) => {
    const [start, end] = [getStart(typed.fromDate, typed.fromHour), getStart(typed.toDate, typed.toHour)];
    const refuse = (path: 'fromHour' | 'toHour', message: string): never => {
      context.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    if (start === null) return refuse('fromHour', 'The clocks skip this hour. Choose another one.');
    if (end === null) return refuse('toHour', 'The clocks skip this hour. Choose another one.');
    if (end <= start) return refuse('toHour', 'The end must be after the start.');
    return { studioId, name, start, end };
  });
type Draft = z.output<typeof codeSchema>;

const getStart = (date: string, hour: string): Date | null =>
  hourExists(date, Number(hour)) ? slotStart(date, Number(hour)) : null;

/** Makes a code for a person without a booking, and shows its digits once. `canRevoke`: whether the locks can remove a code before it ends. */
export function StaffCodeForm({
  rooms,
  canRevoke,
  onDone,
}: {
  rooms: readonly Room[];
  canRevoke: boolean;
  onDone: () => void;
}) {
  const [formId] = useState(() => crypto.randomUUID());
  const [today] = useState(() => studioDate(new Date()));
  const form = useSchemaForm(codeSchema, {
    defaultValues: {
      studioId: rooms[0]?.studioId ?? '',
      name: '',
      fromDate: today,
      fromHour: '9',
      toDate: today,
      toHour: '12',
    },
  });
  const make = useMutation({
    mutationFn: ({ studioId, name, start, end }: Draft) =>
      makeStaffCode({
        studioId,
        name,
        startTime: start.toISOString(),
        endTime: end.toISOString(),
        // A request for other hours makes another code. Sending the same hours again makes no second code.
        requestId: [formId, start.getTime(), end.getTime(), studioId.slice(0, 8)].join(' '),
      }),
    meta: {
      handled: true,
      invalidates: [queryKeys.staffCodes.all, queryKeys.closures.all, queryKeys.availability.all],
    },
    onError: (error) => refuseForm(form, { message: describeRefusal(error) }),
  });
  if (make.data && make.variables)
    return <Made pin={make.data.pin} draft={make.variables} rooms={rooms} onDone={onDone} />;
  return (
    <Form form={form} onSend={make.mutateAsync} className="space-y-4">
      <p className="text-fog">
        For a tradesperson or a cleaner. The room is closed for bookings during these hours, so no customer is in it.
        Times are in Sydney time.{' '}
        {canRevoke ? null : 'It works for at most 24 hours: these locks can’t remove a code before it ends.'}
      </p>
      <ChoiceField
        control={form.control}
        name="studioId"
        label="Room"
        options={rooms.map(({ studioId, studioName }) => ({ value: studioId, label: studioName }))}
      />
      <TextField control={form.control} name="name" label="Recipient" required maxLength={60} autoComplete="off" />
      <div className="grid grid-cols-2 gap-4">
        <TextField control={form.control} name="fromDate" label="From" type="date" required />
        <ChoiceField control={form.control} name="fromHour" label="Hour" options={HOURS} />
        <TextField control={form.control} name="toDate" label="Until" type="date" required />
        <ChoiceField control={form.control} name="toHour" label="Hour" options={HOURS} />
      </div>
      <FormEnd control={form.control} onLeave={onDone}>
        Create code
      </FormEnd>
    </Form>
  );
}

const bookingSchema = z.object({ bookings: z.array(z.object({ reference: z.string() })) });

/** Explains why no code was made, with the references of the bookings that prevent it. */
function describeRefusal(error: unknown): string {
  const why = describeError(error, 'No code was created. Check your connection.');
  const inTheWay = error instanceof AppError ? bookingSchema.safeParse(error.details) : null;
  return inTheWay?.success ? `${why} ${inTheWay.data.bookings.map(({ reference }) => reference).join(', ')}` : why;
}

function Made({
  pin,
  draft,
  rooms,
  onDone,
}: {
  pin: string;
  draft: Draft;
  rooms: readonly Room[];
  onDone: () => void;
}) {
  const room = rooms.find(({ studioId }) => studioId === draft.studioId)?.studioName ?? '';
  return (
    <div className="space-y-4">
      <p>
        The code for {draft.name}, {room}, {formatStudioRange(draft.start, draft.end)}:
      </p>
      <p className="text-center text-4xl font-bold tracking-[0.3em]">{pin}</p>
      <Notice tone="warn">
        <p>Pass it on now. You won’t see it again.</p>
      </Notice>
      <Button onClick={onDone}>Done</Button>
    </div>
  );
}
