import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { type Door, openDoor } from './queries.ts';

const openFormSchema = z.object({
  reason: z.string().trim().min(1, 'Enter why you are opening the door.').max(200, 'Use at most 200 characters.'),
});

/** Opens a door remotely, with a reason for the audit log. */
export function OpenForm({ door, onDone }: { door: Door; onDone: () => void }) {
  const form = useSchemaForm(openFormSchema, { defaultValues: { reason: '' } });
  const open = useMutation({
    mutationFn: ({ reason }: { reason: string }) => openDoor(door.studioId, reason),
    meta: { handled: true, invalidates: [queryKeys.doors.all] },
    onSuccess: () => {
      toast({ title: 'Door opened', description: door.studioName });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The door was not opened. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={open.mutateAsync} className="space-y-4">
      <p className="text-fog">The door unlocks for anyone in front of it. This takes up to 20 seconds.</p>
      <TextField
        control={form.control}
        name="reason"
        label="Reason (kept in the audit log)"
        required
        autoComplete="off"
      />
      <FormEnd control={form.control} onLeave={onDone}>
        Open door
      </FormEnd>
    </Form>
  );
}
