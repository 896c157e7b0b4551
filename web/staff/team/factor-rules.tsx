import { useMutation, useQuery } from '@tanstack/react-query';
import { type Control, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { GRACE_DAYS, PERMISSION_WORDS, PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { readFactorRules } from '#web/data/role.ts';
import { CheckField, ChoiceField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Member, setFactorRules } from './queries.ts';
import { factorFormSchema, ticked } from './team-form.ts';

type FactorControl = Control<z.input<typeof factorFormSchema>, unknown, z.output<typeof factorFormSchema>>;

const GRACE = [
  { value: '0', label: 'No time, required immediately' },
  { value: '3', label: '3 days' },
  { value: String(GRACE_DAYS), label: `${GRACE_DAYS} days` },
  { value: '14', label: '14 days' },
];

/** The permissions that require two-step sign-in. Owners set them. */
export function FactorRules({ staff }: { staff: readonly Member[] }) {
  const { session } = useSession();
  const rules = useQuery({
    queryKey: queryKeys.factorRules.of(session?.access_token ?? null),
    queryFn: readFactorRules,
  });
  return (
    <Loaded query={rules} what="the rules" why={describeLoadError} skeleton="h-48">
      {({ permissions }) => <RulesForm key={permissions.join()} permissions={permissions} staff={staff} />}
    </Loaded>
  );
}

function RulesForm({ permissions, staff }: { permissions: readonly Permission[]; staff: readonly Member[] }) {
  const form = useSchemaForm(factorFormSchema, {
    defaultValues: { ...ticked(permissions), graceDays: String(GRACE_DAYS) },
  });
  const set = useMutation({
    mutationFn: (draft: z.output<typeof factorFormSchema>) => setFactorRules(draft),
    meta: { handled: true, invalidates: [queryKeys.factorRules.all] },
    onSuccess: (_set, draft) =>
      toast({
        title: 'Two-step sign-in',
        description:
          draft.permissions.length === 0
            ? 'No permission requires it.'
            : `Required for: ${draft.permissions.map((permission) => PERMISSION_WORDS[permission].label).join(', ')}`,
      }),
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={set.mutateAsync} className="max-w-xl space-y-4">
      <fieldset>
        <legend className="mb-1 text-fog">
          Staff with a ticked permission sign in with a code from an authenticator app after the password. Until they
          do, they see only what customers see. If you tick any permission, owners need it too. You need two-step
          sign-in yourself to change this.
        </legend>
        {PERMISSIONS.map((permission) => (
          <CheckField key={permission} control={form.control} name={permission}>
            {PERMISSION_WORDS[permission].label}
          </CheckField>
        ))}
      </fieldset>
      <Lacking control={form.control} before={permissions} staff={staff} />
      <FormError control={form.control} />
      <SubmitButton control={form.control}>Save rules</SubmitButton>
    </Form>
  );
}

/** Lists staff who would need a second step but have none, and lets the owner choose how long they can continue without it. */
function Lacking({
  control,
  before,
  staff,
}: {
  control: FactorControl;
  before: readonly Permission[];
  staff: readonly Member[];
}) {
  const values = useWatch({ control });
  const chosen = PERMISSIONS.filter((permission) => values[permission] === true);
  const lacking = staff.filter(
    ({ secondFactor, permissions: held }) =>
      !secondFactor && held.some((permission) => permission === 'owner' || chosen.includes(permission)),
  );
  if (chosen.length === 0 || lacking.length === 0) return null;
  const isNew = chosen.some((permission) => !before.includes(permission));
  return (
    <div className="space-y-4">
      <Notice tone="warn">
        <p>
          {lacking.length === 1 ? 'One person has' : `${lacking.length} people have`} no two-step sign-in yet:{' '}
          {lacking.map(({ name, email }) => name ?? email ?? 'a person without a name').join(', ')}.
        </p>
        {isNew ? <p className="mt-1 text-sm text-fog">They get an email with instructions and the deadline.</p> : null}
      </Notice>
      {isNew ? <ChoiceField control={control} name="graceDays" label="Deadline" options={GRACE} /> : null}
    </div>
  );
}
