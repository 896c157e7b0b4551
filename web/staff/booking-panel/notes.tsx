import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { addNote, type BookingDetails } from './queries.ts';

const schema = z.object({
  note: z.string().trim().min(1, 'Enter a note.').max(2000, 'Use at most 2,000 characters.'),
});

/** The notes of staff about a booking, newest first, and a form for a new one. Customers do not see them. */
export function Notes({ booking }: { booking: BookingDetails }) {
  // With this id, a note that is sent again after a lost answer is added only once.
  const [id, setId] = useState(() => crypto.randomUUID());
  const form = useSchemaForm(schema, { defaultValues: { note: '' } });
  const add = useMutation({
    mutationFn: ({ note }: { note: string }) => addNote(id, booking.id, note),
    meta: { handled: true, invalidates: [queryKeys.staffBooking.all] },
    onSuccess: () => {
      setId(crypto.randomUUID());
      form.reset();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The note was not saved. Check your connection.') }),
  });
  return (
    <section aria-label="Staff notes" className="space-y-3">
      <h3 className="text-xl">Notes</h3>
      {booking.staffNotes.length === 0 ? <p className="text-fog">No notes yet. Customers never see them.</p> : null}
      <ul className="space-y-2">
        {booking.staffNotes.map((staffNote) => (
          <li key={staffNote.id} className="border-l-2 border-line pl-3">
            <p className="break-words whitespace-pre-wrap">{staffNote.note}</p>
            <p className="text-sm text-fog">
              {staffNote.by ?? 'The server'}, {formatStudioDate(staffNote.at, 'medium')},{' '}
              {formatStudioTime(staffNote.at)}
            </p>
          </li>
        ))}
      </ul>
      <Form form={form} onSend={(typed) => add.mutateAsync(typed)} className="space-y-3">
        <TextField control={form.control} name="note" label="Add a note" maxLength={2000} autoComplete="off" />
        <FormError control={form.control} />
        <SubmitButton control={form.control}>Add note</SubmitButton>
      </Form>
    </section>
  );
}
