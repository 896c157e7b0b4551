import type { Control, FieldValues, Path } from 'react-hook-form';
import { type Permission, PERMISSION_WORDS, PERMISSIONS } from '#rules/permissions.ts';
import { CheckField } from '#web/ui/form/fields.tsx';

/** A checkbox for each permission, with what it opens. `place`: returns the form field of a permission. */
export function PermissionFields<In extends FieldValues, Out>({
  control,
  place,
}: {
  control: Control<In, unknown, Out>;
  place: (permission: Permission) => Path<In>;
}) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-semibold">Permissions</legend>
      {PERMISSIONS.map((permission) => (
        <CheckField key={permission} control={control} name={place(permission)}>
          {PERMISSION_WORDS[permission].label}
          <span className="block text-sm text-fog">{PERMISSION_WORDS[permission].opens}</span>
        </CheckField>
      ))}
    </fieldset>
  );
}
