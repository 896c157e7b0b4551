import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { type IdNames, NAME_RESTORE_DAYS } from '#rules/identity.ts';
import { normalisePhone } from '#rules/people.ts';
import { studioDate } from '#rules/studio-time.ts';
import { type Profile, useProfile } from '#web/data/profile.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { birthDateEntry, toIsoDate } from '#web/lib/birth-date.ts';
import { type AskedProof, findProofStep } from '#web/data/account/owner-proof.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { CodeField, DateField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, type SchemaForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { CodeInstead } from './code-instead.tsx';
import {
  type CheckedProfile,
  profileFormSchema,
  endsVerification,
  titleOfProfile,
  type TypedProfile,
  toTypedProfile,
} from './profile-schema.ts';
import { changeEmail, saveProfile } from './queries.ts';

/** The profile form. `onId`: the names on the verified ID, or null. */
export function ProfileForm({ userId, onId }: { userId: string; onId: IdNames | null }) {
  const profile = useProfile(userId);
  return (
    <Loaded query={profile} what="your profile" skeleton="h-[34rem]">
      {(saved) => <Fields userId={userId} onId={onId} saved={saved} />}
    </Loaded>
  );
}

function Fields({ userId, onId, saved }: { userId: string; onId: IdNames | null; saved: Profile }) {
  const today = studioDate(useNow(60_000));
  const form = useSchemaForm(profileFormSchema(today), { defaultValues: toTypedProfile(saved) });
  const { control } = form;
  const { save, proof, onMailed, waitingFor } = useSave(form, userId, saved);
  return (
    <Form form={form} onSend={save} getTitle={titleOfProfile} className="space-y-4">
      <TextField
        control={control}
        name="fullName"
        label="Full Name"
        badge="MUST MATCH ID"
        autoComplete="name"
        required
      />
      <TextField control={control} name="email" label="Email" type="email" autoComplete="email" required />
      {waitingFor === null ? null : <EmailSent to={waitingFor} />}
      {proof === 'password' ? (
        <TextField
          control={control}
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
          hint="Enter your password again to change your email."
        />
      ) : null}
      {proof === 'code' ? <CodeField control={control} name="nonce" label="6-digit code" digits={6} /> : null}
      {proof === 'password' || proof === 'choice' ? <CodeInstead onMailed={onMailed} /> : null}
      <TextField control={control} name="phone" label="Phone Number" type="tel" autoComplete="tel" required />
      <DateField control={control} name="birth" {...birthDateEntry(today)} />
      <TextField control={control} name="djName" label="DJ Name (optional)" autoComplete="nickname" maxLength={100} />
      {onId === null ? null : <EndNotice form={form} saved={saved} onId={onId} />}
      <FormError control={control} />
      <SubmitButton control={control}>Save profile</SubmitButton>
    </Form>
  );
}

/** Saves the profile. The email is saved separately, because a new address has to be confirmed and may require a proof. */
function useSave(form: SchemaForm<TypedProfile, CheckedProfile>, userId: string, saved: Profile) {
  const [proof, setProof] = useState<AskedProof>('none');
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const { setFocus } = form;
  useEffect(() => {
    if (proof === 'password') setFocus('currentPassword');
    if (proof === 'code') setFocus('nonce');
  }, [proof, setFocus]);
  const { mutateAsync } = useMutation({
    mutationFn: async (checked: CheckedProfile) => {
      await saveProfile(userId, {
        full_name: checked.fullName,
        phone: normalisePhone(checked.phone) ?? checked.phone,
        dj_name: checked.djName || null,
        date_of_birth: checked.birth,
      });
      if (checked.email.toLowerCase() === (saved.email ?? '').toLowerCase()) return;
      await changeEmail(checked.email, checked);
      setWaitingFor(checked.email);
    },
    meta: {
      handled: true,
      invalidates: [queryKeys.profile.all, queryKeys.idStatus.all, queryKeys.eligibility.all],
    },
    onSuccess: () => {
      setProof('none');
      form.setValue('currentPassword', '');
      form.setValue('nonce', '');
      toast({ title: 'Profile updated' });
    },
    onError: (error) => {
      const { field, asks } = findProofStep(error);
      if (asks !== null) setProof(asks);
      const message = describeError(error, 'Failed to update profile. Please try again.');
      refuseForm(form, { title: 'Error', message, ...(field === null ? {} : { field }) });
    },
  });
  return { save: mutateAsync, proof, onMailed: () => setProof('code'), waitingFor };
}

function EmailSent({ to }: { to: string }) {
  return (
    <Notice tone="good">
      <p className="text-sm">
        We sent a confirmation email to <strong className="break-all">{to}</strong>. Your email will change once you
        confirm it there.
      </p>
    </Notice>
  );
}

/** Warns before saving that a change ends the verification of the ID. */
function EndNotice({
  form,
  saved,
  onId,
}: {
  form: SchemaForm<TypedProfile, CheckedProfile>;
  saved: Profile;
  onId: IdNames;
}) {
  const [fullName, birth] = useWatch({ control: form.control, name: ['fullName', 'birth'] });
  const ends = endsVerification(saved, { fullName, dateOfBirth: toIsoDate(birth) }, onId);
  const name = [onId.given, onId.family].filter(Boolean).join(' ');
  return ends === null ? null : (
    <Notice tone="warn">
      <p className="text-sm">
        {ends === 'birth'
          ? 'If you change your date of birth, you’ll need to verify your ID again.'
          : `Your ID says ${name}. With this name you’ll need to verify your ID again. If you go back to the name on it within ${NAME_RESTORE_DAYS} days, you won’t.`}
      </p>
    </Notice>
  );
}
