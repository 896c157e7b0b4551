import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { approvalProblem, matchNames, type ReviewedId } from '#rules/identity.ts';
import { formatStudioDate, isStudioDate, studioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Decision, type IdDecision, reviewId, type WaitingId } from './queries.ts';
import { reviewFormSchema, toTyped, type TypedReview } from './review-form.ts';

const DONE: Readonly<Record<Decision, string>> = {
  approve: 'ID approved',
  retake: 'New photo requested',
  refuse: 'ID rejected',
};
const CONFIRM: Readonly<Record<Decision, { readonly words: string; readonly button: string }>> = {
  approve: { words: 'The customer can book immediately and gets an email.', button: 'Approve ID' },
  retake: { words: 'The customer gets an email asking for another photo.', button: 'Request new photo' },
  refuse: { words: 'The customer gets an email with your reason.', button: 'Reject ID' },
};

type ReviewControl = Control<TypedReview, unknown, IdDecision>;

/** Lets staff compare what was read with the account, correct it, and decide. */
export function ReviewPanel({ read, onDone }: { read: WaitingId; onDone: () => void }) {
  const [schema] = useState(() => reviewFormSchema(read));
  const form = useSchemaForm(schema, { defaultValues: toTyped(read) });
  const [confirming, setConfirming] = useState<Decision | null>(null);
  const decide = useMutation({
    mutationFn: (decision: IdDecision) => reviewId(read.id, decision),
    meta: { handled: true, invalidates: [queryKeys.waitingIds.all, queryKeys.alerts.all, queryKeys.customers.all] },
    onSuccess: (_done, { decision }) => {
      toast({ title: DONE[decision], description: read.account_name ?? '' });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Your decision was not saved. Check your connection.') }),
  });
  const choose = (decision: Decision): void => {
    form.setValue('decision', decision);
    setConfirming(decision);
  };
  return (
    <Form form={form} onSend={decide.mutateAsync} className="space-y-4">
      <Fields control={form.control} read={read} />
      {confirming === null ? (
        <Decisions control={form.control} read={read} onChoose={choose} />
      ) : (
        <div role="group" aria-label="Confirm" className="space-y-4">
          <p>{CONFIRM[confirming].words} The photo is deleted.</p>
          {confirming === 'approve' ? null : (
            <TextField
              control={form.control}
              name="reason"
              label="Reason for the customer"
              required={confirming === 'refuse'}
              maxLength={500}
              autoComplete="off"
              hint={
                confirming === 'retake'
                  ? 'If you leave this empty, we ask for a sharp, well-lit photo of the front.'
                  : undefined
              }
            />
          )}
          <FormEnd control={form.control} leave="Back" onLeave={() => setConfirming(null)}>
            {CONFIRM[confirming].button}
          </FormEnd>
        </div>
      )}
    </Form>
  );
}

function Fields({ control, read }: { control: ReviewControl; read: WaitingId }) {
  const typed = useReviewedId(control);
  const sameName =
    matchNames({ given: typed.givenNames, family: typed.familyName }, read.account_name ?? '').status === 'match';
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        <dt className="text-fog">Account</dt>
        <dd className="break-words">
          {read.account_name ?? 'No name'} <Difference same={sameName} what="name" />
        </dd>
        <dt className="text-fog">Born</dt>
        <dd>
          {read.account_date_of_birth === null ? 'Not given' : formatStudioDate(read.account_date_of_birth)}{' '}
          <Difference
            same={typed.dateOfBirth !== null && typed.dateOfBirth === read.account_date_of_birth}
            what="date of birth"
          />
        </dd>
      </dl>
      <p className="text-sm text-fog">These details were read from the ID. Correct any that don’t match the picture.</p>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField control={control} name="firstName" label="First name" maxLength={100} autoComplete="off" />
        <TextField control={control} name="middleName" label="Middle names" maxLength={100} autoComplete="off" />
        <TextField control={control} name="lastName" label="Last name" maxLength={100} autoComplete="off" />
        <TextField control={control} name="dateOfBirth" label="Date of birth" type="date" />
        <TextField control={control} name="expiryDate" label="Expires" type="date" />
      </div>
    </>
  );
}

function Difference({ same, what }: { same: boolean; what: string }) {
  return same ? <Chip tone="good">Same {what}</Chip> : <Chip tone="warn">Different {what}</Chip>;
}

function Decisions({
  control,
  read,
  onChoose,
}: {
  control: ReviewControl;
  read: WaitingId;
  onChoose: (decision: Decision) => void;
}) {
  const typed = useReviewedId(control);
  const problem = approvalProblem(typed, studioDate(useNow(60_000)), read.source === 'hosted' ? 'hosted' : 'photo');
  return (
    <>
      {problem === null ? null : (
        <Notice tone="warn">
          <p>{problem}</p>
        </Notice>
      )}
      <div className="flex flex-wrap gap-3">
        <Button disabled={problem !== null} onClick={() => onChoose('approve')}>
          Approve ID
        </Button>
        <Button tone="plain" onClick={() => onChoose('retake')}>
          Request new photo
        </Button>
        <Button tone="plain" onClick={() => onChoose('refuse')}>
          Reject ID
        </Button>
      </div>
    </>
  );
}

/** Returns the ID with the current values of the form. */
function useReviewedId(control: ReviewControl): ReviewedId {
  const [firstName, middleName, lastName, born, expires] = useWatch({
    control,
    name: ['firstName', 'middleName', 'lastName', 'dateOfBirth', 'expiryDate'],
  });
  return {
    givenNames: `${firstName} ${middleName}`.trim() || null,
    familyName: lastName.trim() || null,
    dateOfBirth: isStudioDate(born) ? born : null,
    expiryDate: isStudioDate(expires) ? expires : null,
  };
}
