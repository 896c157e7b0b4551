import { PERMISSION_WORDS, type Permission } from '#rules/permissions.ts';
import { Chip } from '#web/ui/chip.tsx';

/** Shows the names of permissions. */
export function PermissionChips({ permissions }: { permissions: readonly Permission[] }) {
  return (
    <ul className="flex flex-wrap gap-1.5">
      {permissions.map((permission) => (
        <li key={permission}>
          <Chip tone={permission === 'owner' ? 'signal' : 'plain'}>{PERMISSION_WORDS[permission].label}</Chip>
        </li>
      ))}
    </ul>
  );
}
