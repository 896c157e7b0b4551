import { useMutation, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { PERMISSION_WORDS, PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeError } from '#web/lib/errors.ts';
import { readFactorRules } from '#web/data/role.ts';
import { CheckField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { setFactorRules } from './queries.ts';
import { factorFormSchema, ticked } from './team-form.ts';

/** Which permissions need two-step sign-in; owners decide. */
export function FactorRules() {
  const { session } = useSession();
  const rules = useQuery({
    queryKey: queryKeys.factorRules.of(session?.access_token ?? null),
    queryFn: readFactorRules,
  });
  if (rules.isError && !rules.data)
    return (
      <LoadFailed
        title="The rules could not be loaded."
        why={describeError(rules.error, 'Check your connection.')}
        onRetry={() => void rules.refetch()}
      />
    );
  if (!rules.data) return <Skeleton className="h-48" label="Loading the rules" />;
  const { permissions } = rules.data;
  return <RulesForm key={permissions.join()} permissions={permissions} />;
}

function RulesForm({ permissions }: { permissions: readonly Permission[] }) {
  const form = useSchemaForm(factorFormSchema, { defaultValues: ticked(permissions) });
  const set = useMutation({
    mutationFn: (draft: z.output<typeof factorFormSchema>) => setFactorRules(draft),
    meta: { handled: true, invalidates: [queryKeys.factorRules.all] },
    onSuccess: (_set, draft) =>
      toast({
        title: 'Two-step sign-in',
        description:
          draft.length === 0
            ? 'No permission needs it any more.'
            : `Needed for: ${draft.map((one) => PERMISSION_WORDS[one].label).join(', ')}`,
      }),
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={set.mutateAsync} className="max-w-xl space-y-4">
      <fieldset>
        <legend className="mb-1 text-fog">
          Staff with one of these permissions sign in with a code from an authenticator app after the password. Until
          then they see only what customers see. As soon as one is ticked, this holds for owners too. You need two-step
          sign-in yourself to change this.
        </legend>
        {PERMISSIONS.map((one) => (
          <CheckField key={one} control={form.control} name={one}>
            {PERMISSION_WORDS[one].label}
          </CheckField>
        ))}
      </fieldset>
      <FormError control={form.control} />
      <SubmitButton control={form.control}>Save</SubmitButton>
    </Form>
  );
}
