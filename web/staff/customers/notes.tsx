import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { addCustomerNote, readCustomerNotes } from './queries.ts';

/** The notes of staff about a customer, newest first. Notes cannot be changed: a correction is a new note. */
export function CustomerNotes({ userId }: { userId: string }) {
  return (
    <section data-later>
      <h3 className="mb-3 text-2xl">Notes</h3>
      <NoteForm userId={userId} />
      <NoteList userId={userId} />
    </section>
  );
}

const noteSchema = z.object({
  note: z.string().trim().min(1, 'Enter a note.').max(2_000, 'Use at most 2,000 characters.'),
});

function NoteForm({ userId }: { userId: string }) {
  // With this id, another try after a lost answer adds the note only once.
  const [noteId, setNoteId] = useState(() => crypto.randomUUID());
  const form = useSchemaForm(noteSchema, { defaultValues: { note: '' } });
  const add = useMutation({
    mutationFn: ({ note }: { note: string }) => addCustomerNote(noteId, userId, note),
    meta: { handled: true, invalidates: [queryKeys.customerNotes.all] },
    onSuccess: () => {
      form.reset();
      setNoteId(crypto.randomUUID());
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The note was not saved. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={add.mutateAsync} className="space-y-3">
      <TextField
        control={form.control}
        name="note"
        label="New note"
        hint="Only staff can see notes. You can’t edit them later."
        lines={2}
        maxLength={2_000}
      />
      <FormError control={form.control} />
      <SubmitButton control={form.control} tone="plain">
        Add note
      </SubmitButton>
    </Form>
  );
}

function NoteList({ userId }: { userId: string }) {
  const notes = useQuery({
    queryKey: queryKeys.customerNotes.of(userId),
    queryFn: () => readCustomerNotes(userId),
  });
  return (
    <div className="mt-4">
      <Loaded query={notes} what="the notes" why={describeLoadError} skeleton="h-16">
        {(data) =>
          data.length === 0 ? (
            <p className="text-fog">No notes yet.</p>
          ) : (
            <ul className="space-y-3">
              {data.map((note) => (
                <li key={note.id} className="border-l-4 border-line pl-4">
                  <p className="break-words whitespace-pre-line">{note.note}</p>
                  <p className="text-sm text-fog">
                    {note.made_by ?? 'Former staff'}, {formatStudioDate(new Date(note.created_at), 'medium')},{' '}
                    {formatStudioTime(new Date(note.created_at))} (Sydney time)
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
