import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatStudioDate } from '#rules/studio-time.ts';
import { OwnBookings } from '#web/features/account/own-bookings.tsx';
import { PasswordForm } from '#web/features/account/password-form.tsx';
import { ProfileForm } from '#web/features/account/profile-form.tsx';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { readVerification } from '#web/features/identity/queries.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { Button } from '#web/ui/button.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.home, label: 'Back to Home' };

export default function ProfilePage() {
  const { status, user, signOut } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const [idOpen, setIdOpen] = useState(false);
  const verification = useQuery({
    queryKey: ['verification', user?.id],
    queryFn: () => readVerification(user?.id ?? ''),
    enabled: user !== null,
  });

  useEffect(() => {
    if (status === 'out') open('sign-in');
  }, [status, open]);

  if (status === 'loading') return <Waiting label="One moment" />;
  if (!user) {
    return (
      <Shell back={BACK} title="Account">
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title="Account" lead={<p className="break-all">{user.email}</p>}>
      <div className="space-y-12">
        <section aria-label="Your bookings">
          <h2 className="mb-4 text-3xl">Your bookings</h2>
          <OwnBookings userId={user.id} />
        </section>
        <section aria-label="ID verification">
          <h2 className="mb-4 text-3xl">ID verification</h2>
          {verification.data ? (
            <p className="font-semibold text-good">
              Verified until {formatStudioDate(new Date(verification.data.expires_at))}
            </p>
          ) : verification.isLoading ? (
            <div className="skeleton h-12" role="status" aria-label="Loading" />
          ) : (
            <>
              <p className="mb-3 text-fog">
                Not verified yet. An Australian driver licence is needed before your first session.
              </p>
              <Button onClick={() => setIdOpen(true)}>Verify ID</Button>
            </>
          )}
        </section>
        <section aria-label="Edit profile">
          <h2 className="mb-4 text-3xl">Edit profile</h2>
          <ProfileForm userId={user.id} verified={verification.data !== null && verification.data !== undefined} />
        </section>
        <section aria-label="Change password">
          <h2 className="mb-4 text-3xl">Change password</h2>
          <PasswordForm />
        </section>
        <Button tone="plain" onClick={() => void signOut().then(() => navigate(paths.home))}>
          Sign Out
        </Button>
      </div>
      <IdDialog
        open={idOpen}
        onClose={() => setIdOpen(false)}
        onVerified={() => {
          setIdOpen(false);
          void verification.refetch();
        }}
      />
    </Shell>
  );
}
