import { type ReactNode, useEffect, useId, useRef } from 'react';
import { OwnBookings } from '#web/features/account/own-bookings.tsx';
import { OwnSessions } from '#web/features/account/own-sessions.tsx';
import { OwnData } from '#web/features/account/own-data.tsx';
import { Passkeys } from '#web/features/account/passkeys.tsx';
import { PasswordForm } from '#web/features/account/password-form.tsx';
import { ProfileForm } from '#web/features/account/profile-form.tsx';
import { SecondStep } from '#web/features/account/second-step.tsx';
import { SavedCards } from '#web/features/account/saved-cards.tsx';
import { IdStatusPart } from '#web/features/identity/id-status.tsx';
import { ReminderSettings } from '#web/features/reminders/reminders.tsx';
import { useIdStatus } from '#web/features/identity/queries.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.home, label: 'Back to Home' };

export default function ProfilePage() {
  const { status, user, signOut } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const leaving = useRef(false);
  useEffect(() => {
    // After Sign Out on this page, do not ask to sign in again.
    if (status === 'out' && !leaving.current) open('sign-in');
  }, [status, open]);

  async function leave(): Promise<void> {
    leaving.current = true;
    const finished = signOut();
    navigate(paths.home);
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
        <Parts userId={user.id} onDeleted={() => void leave()} />
        <Button tone="plain" onClick={() => void leave()}>
          Sign Out
        </Button>
      </div>
    </Shell>
  );
}

function Parts({ userId, onDeleted }: { userId: string; onDeleted: () => void }) {
  const idStatus = useIdStatus(userId);
  return (
    <>
      <Part title="Your bookings">
        <OwnBookings userId={userId} />
      </Part>
      <Part title="ID verification">
        <IdStatusPart userId={userId} />
      </Part>
      <Part title="Edit profile">
        <ProfileForm userId={userId} verified={Boolean(idStatus.data?.verifiedUntil)} />
      </Part>
      <Part title="Saved cards">
        <SavedCards userId={userId} />
      </Part>
      <Part title="Reminders">
        <ReminderSettings userId={userId} />
      </Part>
      <Part title="Change password">
        <PasswordForm />
      </Part>
      <Part title="Two-step sign-in" anchor="second-step">
        <SecondStep userId={userId} />
      </Part>
      <Part title="Passkeys">
        <Passkeys userId={userId} />
      </Part>
      <Part title="Your devices">
        <OwnSessions userId={userId} />
      </Part>
      <Part title="Your data">
        <OwnData userId={userId} onDeleted={onDeleted} />
      </Part>
    </>
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
