import { type ReactNode, useEffect, useId, useRef } from 'react';
import { AccountNav } from '#web/features/account/account-nav.tsx';
import { OwnSessions } from '#web/features/account/own-sessions.tsx';
import { OwnData } from '#web/features/account/own-data.tsx';
import { Passkeys } from '#web/features/account/passkeys.tsx';
import { PasswordForm } from '#web/features/account/password-form.tsx';
import { ProfileForm } from '#web/features/account/profile-form.tsx';
import { SecondStep } from '#web/features/account/second-step.tsx';
import { SavedCards } from '#web/features/account/saved-cards.tsx';
import { IdStatusPart } from '#web/features/identity/id-status.tsx';
import { ReminderSettings } from '#web/features/reminders/reminders.tsx';
import { useIdStatus } from '#web/features/identity/status-query.ts';
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
    // After Sign Out on this page, the dialog must not open.
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
      <Shell back={BACK} title="Account Settings" lead={<p>Sign in to see your details.</p>}>
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      </Shell>
    );
  }
  return (
    <Shell wide back={BACK} title="Account Settings" lead={<p className="break-all">{user.email}</p>}>
      <AccountNav current={paths.profile} />
      <div className="lg:grid lg:grid-cols-[12rem_minmax(0,42rem)] lg:gap-16">
        <Contents />
        <div className="space-y-16">
          <Parts userId={user.id} onDeleted={() => void leave()} />
          <Button tone="plain" onClick={() => void leave()}>
            Sign Out
          </Button>
        </div>
      </div>
    </Shell>
  );
}

/** The titles of the sections, and their positions on the page. */
const TITLES = {
  id: 'ID verification',
  profile: 'Edit profile',
  cards: 'Saved cards',
  reminders: 'Reminders',
  password: 'Change password',
  'second-step': 'Two-step sign-in',
  passkeys: 'Passkeys',
  devices: 'Your devices',
  data: 'Your data',
} as const;

/** Links to the sections: next to them on a large screen, above them on a phone. */
function Contents() {
  return (
    <nav aria-label="On this page" className="max-lg:mb-12 lg:sticky lg:top-8 lg:self-start">
      <ul className="grid grid-cols-2 gap-x-4 sm:grid-cols-3 lg:block lg:border-l-2 lg:border-line">
        {Object.entries(TITLES).map(([anchor, title]) => (
          <li key={anchor}>
            <a
              href={`#${anchor}`}
              className="flex min-h-11 items-center font-semibold text-fog transition-colors hover:text-chalk max-lg:border-b max-lg:border-line lg:-ml-0.5 lg:border-l-2 lg:border-transparent lg:pl-4 lg:hover:border-signal"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Parts({ userId, onDeleted }: { userId: string; onDeleted: () => void }) {
  const idStatus = useIdStatus(userId);
  return (
    <>
      <Part anchor="id">
        <IdStatusPart userId={userId} />
      </Part>
      <Part anchor="profile">
        <ProfileForm userId={userId} onId={idStatus.data?.names ?? null} />
      </Part>
      <Part anchor="cards">
        <SavedCards userId={userId} />
      </Part>
      <Part anchor="reminders">
        <ReminderSettings userId={userId} />
      </Part>
      <Part anchor="password">
        <PasswordForm />
      </Part>
      <Part anchor="second-step">
        <SecondStep userId={userId} />
      </Part>
      <Part anchor="passkeys">
        <Passkeys userId={userId} />
      </Part>
      <Part anchor="devices">
        <OwnSessions userId={userId} />
      </Part>
      <Part anchor="data">
        <OwnData userId={userId} onDeleted={onDeleted} />
      </Part>
    </>
  );
}

function Part({ anchor, children }: { anchor: keyof typeof TITLES; children: ReactNode }) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      id={anchor}
      className="scroll-mt-8 border-t border-line pt-8 first:border-0 first:pt-0"
    >
      <h2 id={id} className="mb-5 text-3xl">
        {TITLES[anchor]}
      </h2>
      {children}
    </section>
  );
}
