import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { firstError, isAdult, profileSchema } from '#rules/people.ts';
import { formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { changeEmail, readProfile, saveProfile } from './queries.ts';

export function ProfileForm({ userId, verified }: { userId: string; verified: boolean }) {
  const client = useQueryClient();
  const profile = useQuery({ queryKey: ['own-profile', userId], queryFn: () => readProfile(userId) });
  const [form, setForm] = useState({ fullName: '', email: '', phone: '', djName: '', dateOfBirth: '' });
  const [password, setPassword] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const today = studioDate(new Date());

  useEffect(() => {
    const known = profile.data;
    if (known)
      setForm({
        fullName: known.full_name ?? '',
        email: known.email ?? '',
        phone: known.phone ?? '',
        djName: known.dj_name ?? '',
        dateOfBirth: known.date_of_birth ?? '',
      });
  }, [profile.data]);

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
  if (!profile.data) return <div className="skeleton h-80" role="status" aria-label="Loading your profile" />;
  const known = profile.data;
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value });
  const resets =
    verified &&
    (form.fullName.trim().toLowerCase() !== (known.full_name ?? '').toLowerCase() ||
      form.dateOfBirth !== (known.date_of_birth ?? ''));

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = profileSchema.safeParse(form);
    if (!parsed.success)
      return toast({ title: 'Validation Error', description: firstError(parsed.error), tone: 'bad' });
    if (form.dateOfBirth !== '' && !isAdult(form.dateOfBirth, today))
      return toast({ title: 'Age Requirement', description: 'You must be 18 years or older.', tone: 'bad' });
    setBusy(true);
    try {
      await saveProfile(userId, {
        full_name: parsed.data.fullName,
        phone: parsed.data.phone,
        dj_name: form.djName.trim() || null,
        date_of_birth: form.dateOfBirth || null,
      });
      if (parsed.data.email.toLowerCase() !== known.email) {
        await changeEmail(parsed.data.email, password);
        toast({
          title: 'Confirm your new email',
          description: `We sent a mail to ${parsed.data.email}. Your address changes once you confirm it.`,
        });
      }
      setPassword(null);
      toast({ title: 'Profile updated' });
      await client.invalidateQueries();
    } catch (error) {
      const message = describeError(error, 'Failed to update profile. Please try again.');
      if (message === 'Please enter your current password.') setPassword('');
      toast({ title: 'Error', description: message, tone: 'bad' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void save(event)} noValidate className="space-y-4">
      <Field
        label="Full Name"
        badge="MUST MATCH ID"
        autoComplete="name"
        value={form.fullName}
        onChange={set('fullName')}
      />
      <Field label="Email" type="email" autoComplete="email" value={form.email} onChange={set('email')} />
      {password === null ? null : (
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      <Field label="Phone Number" type="tel" autoComplete="tel" value={form.phone} onChange={set('phone')} />
      <Field
        label="Date of Birth"
        badge="MUST MATCH ID"
        type="date"
        max={today}
        value={form.dateOfBirth}
        onChange={set('dateOfBirth')}
      />
      <Field label="DJ Name (optional)" value={form.djName} onChange={set('djName')} />
      {resets ? (
        <Notice tone="warn">
          <p className="text-sm">With another name or date of birth your ID has to be verified again.</p>
        </Notice>
      ) : null}
      <Button type="submit" busy={busy}>
        Save profile
      </Button>
    </form>
  );
}
