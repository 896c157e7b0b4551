import { useMutation } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { PermissionChips } from './permission-chips.tsx';
import { type OpenInvitation, resendInvitation, revokeInvitation } from './queries.ts';

const COLUMNS = ['Email', 'Permissions', 'Invited by', 'Valid until', 'Actions'];
const INVALIDATES = [queryKeys.team.all];

/** Lists the open invitations, which can be sent again or revoked. */
export function Invitations({ invitations }: { invitations: readonly OpenInvitation[] }) {
  if (invitations.length === 0) return <Empty>No open invitations.</Empty>;
  return (
    <Table caption="Open invitations" columns={COLUMNS}>
      {invitations.map((invitation) => (
        <Row key={invitation.id}>
          <Cell label="Email" className="break-words">
            {invitation.email}
          </Cell>
          <Cell label="Permissions">
            <PermissionChips permissions={invitation.permissions} />
          </Cell>
          <Cell label="Invited by">{invitation.invitedBy ?? 'The service key'}</Cell>
          <Cell label="Valid until">
            {invitation.expired ? <Chip tone="warn">Expired</Chip> : formatStudioDateTime(invitation.expiresAt)}
          </Cell>
          <Cell label="">
            <Actions invitation={invitation} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Actions({ invitation }: { invitation: OpenInvitation }) {
  const resend = useMutation({
    mutationFn: () => resendInvitation(invitation.id),
    meta: { title: 'Error', failure: 'The email was not sent. Try again.', invalidates: INVALIDATES },
    onSuccess: () => toast({ title: 'Invitation resent', description: invitation.email }),
  });
  const revoke = useMutation({
    mutationFn: () => revokeInvitation(invitation.id),
    meta: { title: 'Error', failure: 'The invitation is still open. Try again.', invalidates: INVALIDATES },
    onSuccess: () => toast({ title: 'Invitation revoked', description: invitation.email }),
  });
  return (
    <div className="flex flex-wrap gap-3">
      <Button tone="plain" busy={resend.isPending} disabled={revoke.isPending} onClick={() => resend.mutate()}>
        Resend <span className="sr-only">{invitation.email}</span>
      </Button>
      <Button tone="plain" busy={revoke.isPending} disabled={resend.isPending} onClick={() => revoke.mutate()}>
        Revoke <span className="sr-only">{invitation.email}</span>
      </Button>
    </div>
  );
}
