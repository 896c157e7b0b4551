import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { PermissionFields } from './permission-fields.tsx';
import { invite } from './queries.ts';
import { inviteFormSchema, ticked } from './team-form.ts';

/** Invites a person to join the staff. */
export function InviteForm({ onDone }: { onDone: () => void }) {
  const form = useSchemaForm(inviteFormSchema, { defaultValues: { email: '', permissions: ticked(['bookings']) } });
  const send = useMutation({
    mutationFn: (draft: z.output<typeof inviteFormSchema>) => invite(draft),
    meta: { handled: true, invalidates: [queryKeys.team.all] },
    onSuccess: (_sent, { email }) => {
      toast({ title: 'Invitation sent', description: email });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The invitation was not sent. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} className="space-y-4">
      <p className="text-fog">The email contains a link that works once, within 7 days, for this address only.</p>
      <TextField control={form.control} name="email" label="Email" type="email" required autoComplete="off" />
      <PermissionFields control={form.control} place={(permission) => `permissions.${permission}`} />
      <FormEnd control={form.control} onLeave={onDone}>
        Send invitation
      </FormEnd>
    </Form>
  );
}
