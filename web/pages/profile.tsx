import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { formatStudioDate } from '#rules/studio-time.ts';
import { OwnBookings } from '#web/features/account/own-bookings.tsx';
import { OwnSessions } from '#web/features/account/own-sessions.tsx';
import { Passkeys } from '#web/features/account/passkeys.tsx';
import { PasswordForm } from '#web/features/account/password-form.tsx';
import { ProfileForm } from '#web/features/account/profile-form.tsx';
import { type IdStatus, readIdStatus } from '#web/features/account/queries.ts';
import { SecondStep } from '#web/features/account/second-step.tsx';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice, Skeleton, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.home, label: 'Back to Home' };

export default function ProfilePage() {
  const { status, user, signOut } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leaving = useRef(false);
  const [idOpen, setIdOpen] = useState(false);
  const eligibility = useQuery({
    queryKey: ['verification', 'id-status', user?.id],
    queryFn: () => readIdStatus(user?.id ?? ''),
    enabled: user !== null,
  });

  useEffect(() => {
    // After Sign Out on this page, do not ask to sign in again.
    if (status === 'out' && !leaving.current) open('sign-in');
  }, [status, open]);

  async function leave(): Promise<void> {
    leaving.current = true;
    const finished = signOut();
    void navigate(paths.home);
    await finished;
  }

  if (status === 'loading') return <Waiting label="One moment" />;
  if (!user) {
    return (
      <Shell back={BACK} title="Account Settings" lead={<p>Sign in to see your bookings and your details.</p>}>
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title="Account Settings" lead={<p className="break-all">{user.email}</p>}>
      <div className="space-y-14">
        <Part title="Your bookings">
          <OwnBookings userId={user.id} />
        </Part>
        <Part title="ID verification">
          {eligibility.data ? (
            <Eligibility eligibility={eligibility.data} onVerify={() => setIdOpen(true)} />
          ) : eligibility.isError ? (
            <Notice tone="bad">
              <p>Your ID status could not be loaded.</p>
              <Button tone="plain" className="mt-3" onClick={() => void eligibility.refetch()}>
                Try again
              </Button>
            </Notice>
          ) : (
            <Skeleton className="h-24" label="Loading your ID status" />
          )}
        </Part>
        <Part title="Edit profile">
          <ProfileForm userId={user.id} verified={eligibility.data?.state === 'verified'} />
        </Part>
        <Part title="Change password">
          <PasswordForm />
        </Part>
        <Part title="Two-step sign-in" anchor="second-step">
          <SecondStep userId={user.id} />
        </Part>
        <Part title="Passkeys">
          <Passkeys userId={user.id} />
        </Part>
        <Part title="Your devices">
          <OwnSessions />
        </Part>
        <Button tone="plain" onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
      <IdDialog
        open={idOpen}
        onClose={() => {
          setIdOpen(false);
          void eligibility.refetch();
        }}
        onVerified={() => {
          setIdOpen(false);
          void client.invalidateQueries({ queryKey: ['verification'] });
        }}
      />
    </Shell>
  );
}

function Part({ title, anchor, children }: { title: string; anchor?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} id={anchor}>
      <h2 id={id} className="mb-5 text-3xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Eligibility({ eligibility, onVerify }: { eligibility: IdStatus; onVerify: () => void }) {
  switch (eligibility.state) {
    case 'verified':
      return (
        <Notice tone="good">
          <p className="font-semibold">Verified until {formatStudioDate(new Date(eligibility.until))}</p>
        </Notice>
      );
    case 'review':
      return (
        <div className="space-y-4">
          <Notice tone="warn">
            <p className="font-semibold">Someone on our team is checking your ID</p>
            <p className="mt-1 text-sm text-fog">
              This takes up to 7 days. You don’t have to wait: take another photo, or use the online check.
            </p>
          </Notice>
          <Button tone="plain" onClick={onVerify}>
            Verify ID
          </Button>
        </div>
      );
    case 'none':
      return (
        <div className="space-y-4">
          <p className="text-fog">Not verified yet. You need an Australian driver licence before your first session.</p>
          <Button onClick={onVerify}>Verify ID</Button>
        </div>
      );
  }
}
