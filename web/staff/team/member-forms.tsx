import { useMutation } from '@tanstack/react-query';
import type { Permission } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { PermissionFields } from './permission-fields.tsx';
import { type Member, removeMember, setPermissions } from './queries.ts';
import { permissionsFormSchema, ticked } from './team-form.ts';

const INVALIDATES = [queryKeys.team.all, queryKeys.staffRights.all];
const getName = ({ name, email }: Member): string => name ?? email ?? 'Account without a name';

/** Changes the permissions of a member of staff. */
export function PermissionsForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const form = useSchemaForm(permissionsFormSchema, { defaultValues: { permissions: ticked(member.permissions) } });
  const change = useMutation({
    mutationFn: (draft: { permissions: Permission[] }) => setPermissions(member.userId, draft.permissions),
    meta: { handled: true, invalidates: INVALIDATES },
    onSuccess: () => {
      toast({ title: 'Permissions changed', description: getName(member) });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={change.mutateAsync} className="space-y-4">
      <p className="break-words">{getName(member)}</p>
      <PermissionFields control={form.control} place={(permission) => `permissions.${permission}`} />
      <FormEnd control={form.control} onLeave={onDone}>
        Save permissions
      </FormEnd>
    </Form>
  );
}

/** Asks for confirmation before a person's access as staff ends. */
export function RemoveMember({ member, onDone }: { member: Member; onDone: () => void }) {
  const remove = useMutation({
    mutationFn: () => removeMember(member.userId),
    meta: { handled: true, invalidates: INVALIDATES },
    onSuccess: () => {
      toast({ title: 'Removed from the staff', description: getName(member) });
      onDone();
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'This person was not removed. Try again.'),
        tone: 'bad',
      }),
  });
  return (
    <div className="space-y-4">
      <p className="break-words">
        {getName(member)} loses access to the back office immediately. The account and its bookings stay.
      </p>
      <p>
        We revoke door codes and calendar addresses that they created or saw, and customers get new codes by email.
        Codes that a lock can’t remove are listed on this page with their end time.
      </p>
      <Confirm action={remove} tone="signal" keep="Keep on staff" onKeep={onDone}>
        Remove from staff
      </Confirm>
    </div>
  );
}
