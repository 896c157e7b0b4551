import { AcceptInvitation } from '#web/staff/team/accept-invitation.tsx';
import { paths } from '#web/lib/paths.ts';
import { useLocation } from '#web/router/router.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Target of the link that invites a person to join the staff. */
export default function StaffInvitationPage() {
  const { hash } = useLocation();
  return (
    <Shell back={{ to: paths.home, label: 'Home' }} title="Join the staff">
      <AcceptInvitation token={hash.replace(/^#/, '')} />
    </Shell>
  );
}
