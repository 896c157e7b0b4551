import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { firstError, isAdult, profileSchema, normalisePhone } from '#rules/people.ts';
import { studioDate } from '#rules/studio-time.ts';
import { birthProblem, canBeBirthDate, echoOf, FUTURE_BIRTH, isoOf, partsOf } from '#web/lib/birth-date.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { DateEntry } from '#web/ui/date-entry.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { changeEmail, passwordWanted, type Profile, readProfile, saveProfile } from './queries.ts';

export function ProfileForm({ userId, verified }: { userId: string; verified: boolean }) {
  const profile = useQuery({
    queryKey: ['own-profile', userId],
    queryFn: () => readProfile(userId),
    // The form compares its fields with this data, so it must not change while somebody types.
    refetchOnWindowFocus: false,
  });
  if (profile.isError) {
    return (
      <Notice tone="bad">
        <p>Your profile could not be loaded.</p>
        <Button tone="plain" className="mt-3" onClick={() => void profile.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  if (!profile.data) return <Skeleton className="h-[34rem]" label="Loading your profile" />;
  return <Fields userId={userId} verified={verified} saved={profile.data} />;
}

type Problem = { readonly field: string | null; readonly message: string };

function Fields({ userId, verified, saved }: { userId: string; verified: boolean; saved: Profile }) {
  const client = useQueryClient();
  const today = studioDate(useNow(60_000));
  const [form, setForm] = useState({
    fullName: saved.full_name ?? '',
    email: saved.email ?? '',
    phone: saved.phone ?? '',
    djName: saved.dj_name ?? '',
  });
  const [birth, setBirth] = useState(() => partsOf(saved.date_of_birth ?? ''));
  /** Asked for only when the server requires it for a new address. */
  const [password, setPassword] = useState<string | null>(null);
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const dateOfBirth = isoOf(birth);
  const birthEmpty = birth.day === '' && birth.month === '' && birth.year === '';
  const tooYoung = dateOfBirth !== '' && !isAdult(dateOfBirth, today);
  const resets =
    verified &&
    (form.fullName.trim().toLowerCase() !== (saved.full_name ?? '').toLowerCase() ||
      dateOfBirth !== (saved.date_of_birth ?? ''));

  function refuse(title: string, message: string, field: string | null): void {
    setProblem({ field, message });
    // The message itself is shown at its field, or above the button.
    toast({ title, ...(field === null ? {} : { description: SEE_FIELD }), tone: 'bad' });
  }

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const parsed = profileSchema.safeParse(form);
    if (!parsed.success)
      return refuse('Validation Error', firstError(parsed.error), String(parsed.error.issues[0]?.path[0] ?? ''));
    if (tooYoung) return refuse('Age Requirement', 'You must be 18 years or older.', null);
    if (dateOfBirth === '' && !birthEmpty)
      return refuse('Validation Error', 'Please enter your date of birth as day, month and year.', null);
    setBusy(true);
    setProblem(null);
    try {
      await saveProfile(userId, {
        full_name: parsed.data.fullName,
        phone: normalisePhone(parsed.data.phone) ?? parsed.data.phone,
        dj_name: form.djName.trim() || null,
        date_of_birth: dateOfBirth || null,
      });
      if (parsed.data.email.toLowerCase() !== (saved.email ?? '').toLowerCase()) {
        await changeEmail(parsed.data.email, password);
        setWaitingFor(parsed.data.email);
      }
      setPassword(null);
      toast({ title: 'Profile updated' });
      await Promise.all([
        client.invalidateQueries({ queryKey: ['own-profile'] }),
        client.invalidateQueries({ queryKey: ['verification'] }),
      ]);
    } catch (error) {
      const message = describeError(error, 'Failed to update profile. Please try again.');
      const wanted = passwordWanted(error);
      if (wanted === 'missing') setPassword('');
      refuse('Error', message, wanted === null ? null : 'password');
    } finally {
      setBusy(false);
    }
  }

  const bind = (name: keyof typeof form) => ({
    name,
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
    error: problem?.field === name ? problem.message : null,
  });

  return (
    <form onSubmit={(event) => void save(event)} noValidate className="space-y-4">
      <Field {...bind('fullName')} label="Full Name" badge="MUST MATCH ID" autoComplete="name" required />
      <Field {...bind('email')} label="Email" type="email" autoComplete="email" required />
      {waitingFor === null ? null : (
        <Notice tone="good">
          <p className="text-sm">
            We sent a confirmation email to <strong className="break-all">{waitingFor}</strong>. Your email will change
            once you confirm it there.
          </p>
        </Notice>
      )}
      {password === null ? null : (
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          hint="Enter your password again to change your email."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={problem?.field === 'password' ? problem.message : null}
        />
      )}
      <Field {...bind('phone')} label="Phone Number" type="tel" autoComplete="tel" required />
      <DateEntry
        legend="Date of Birth"
        badge="MUST MATCH ID"
        hint="You must be 18 or older"
        echo={echoOf(birth)}
        error={birthProblem(birth, today)}
        refusal={FUTURE_BIRTH}
        accepts={(parts) => canBeBirthDate(parts, today)}
        value={birth}
        onChange={setBirth}
      />
      <Field {...bind('djName')} label="DJ Name (optional)" autoComplete="nickname" maxLength={100} />
      {resets ? (
        <Notice tone="warn">
          <p className="text-sm">If you change your name or date of birth, you’ll need to verify your ID again.</p>
        </Notice>
      ) : null}
      {problem !== null && problem.field === null ? (
        <Notice tone="bad">
          <p>{problem.message}</p>
        </Notice>
      ) : null}
      <Button type="submit" busy={busy}>
        Save profile
      </Button>
    </form>
  );
}
