import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { FactorRules } from './factor-rules.tsx';
import { Invitations } from './invitations.tsx';
import { InviteForm } from './invite-form.tsx';
import { LostSecrets } from './lost-secrets.tsx';
import { PermissionsForm, RemoveMember } from './member-forms.tsx';
import { PermissionChips } from './permission-chips.tsx';
import { type Member, readTeam } from './queries.ts';

const COLUMNS = ['Name', 'Permissions', 'Last sign-in', 'Second step', 'Actions'];

/** The staff page for owners: permissions of each member, invitations and removals, and what former staff have seen. */
export function Team() {
  useLive('staff', queryKeys.team.all);
  const team = useQuery({ queryKey: queryKeys.team.of(), queryFn: readTeam, refetchInterval: 60_000 });
  const [inviting, setInviting] = useState(false);
  const [chosen, choose] = useState<{ member: Member; to: 'change' | 'remove' } | null>(null);
  const close = () => choose(null);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Staff</h2>
          <p className="mt-2 text-fog">The people who work here and their permissions. Times are in Sydney time.</p>
        </div>
        <Button onClick={() => setInviting(true)}>Invite person</Button>
      </div>
      <Loaded query={team} what="the staff" why={describeLoadError} skeleton="h-72">
        {({ staff, secrets, invitations }) => (
          <>
            <Members staff={staff} onChoose={choose} />
            <LostSecrets secrets={secrets} />
            <h3 className="mt-10 mb-4 text-2xl">Invitations</h3>
            <Invitations invitations={invitations} />
            <h3 className="mt-10 mb-4 text-2xl">Two-step sign-in</h3>
            <FactorRules staff={staff} />
          </>
        )}
      </Loaded>
      <Dialog open={inviting} title="Invite to the staff" onClose={() => setInviting(false)}>
        {inviting ? <InviteForm onDone={() => setInviting(false)} /> : null}
      </Dialog>
      <Dialog open={chosen?.to === 'change'} title="Change permissions" onClose={close}>
        {chosen?.to === 'change' ? <PermissionsForm member={chosen.member} onDone={close} /> : null}
      </Dialog>
      <Dialog open={chosen?.to === 'remove'} title="Remove from staff?" onClose={close}>
        {chosen?.to === 'remove' ? <RemoveMember member={chosen.member} onDone={close} /> : null}
      </Dialog>
    </>
  );
}

function Members({
  staff,
  onChoose,
}: {
  staff: readonly Member[];
  onChoose: (chosen: { member: Member; to: 'change' | 'remove' }) => void;
}) {
  const { user } = useSession();
  return (
    <Table caption="Staff" columns={COLUMNS}>
      {staff.map((member) => (
        <Row key={member.userId}>
          <Cell label="Name" className="break-words">
            {member.name ?? member.email} {member.userId === user?.id ? <Chip>You</Chip> : null}
            {member.name === null ? null : <span className="block text-sm text-fog">{member.email}</span>}
          </Cell>
          <Cell label="Permissions">
            <PermissionChips permissions={member.permissions} />
          </Cell>
          <Cell label="Last sign-in">
            {member.lastSignInAt === null ? 'Never' : formatStudioDateTime(member.lastSignInAt)}
          </Cell>
          <Cell label="Second step">
            {member.secondFactor ? <Chip tone="good">On</Chip> : <Chip tone="warn">Off</Chip>}
          </Cell>
          <Cell label="">
            <div className="flex flex-wrap gap-3">
              <Button tone="plain" onClick={() => onChoose({ member, to: 'change' })}>
                Change <span className="sr-only">{member.name ?? member.email}</span>
              </Button>
              <Button tone="plain" onClick={() => onChoose({ member, to: 'remove' })}>
                Remove <span className="sr-only">{member.name ?? member.email}</span>
              </Button>
            </div>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
