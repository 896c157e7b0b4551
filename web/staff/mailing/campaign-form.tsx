import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CAMPAIGN_PACE, type Letter, letterSchema } from '#rules/letter.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { LetterFields } from './letter-fields.tsx';
import { sendCampaign, testCampaign } from './queries.ts';

const PACES = [20, CAMPAIGN_PACE, 200, 600].map((pace) => ({ value: String(pace), label: `${pace} a minute` }));

/**
 * Writes a mail to the mailing list. Staff can send a test to themselves, then confirm, and then the mail is sent. `recipients` is null
 * while it is unknown.
 */
export function CampaignForm({ recipients, onDone }: { recipients: number | null; onDone: () => void }) {
  // With this id, another try after a lost answer is the same campaign. Changed text gets a new id.
  const [campaignId, setCampaignId] = useState(() => crypto.randomUUID());
  const [pace, setPace] = useState(String(CAMPAIGN_PACE));
  const [confirming, setConfirming] = useState<Letter | null>(null);
  const form = useSchemaForm(letterSchema, { defaultValues: { subject: '', body: '' } });
  const test = useMutation({
    mutationFn: (letter: Letter) => testCampaign(letter),
    meta: { title: 'Error', failure: 'The test could not be sent. Try again.' },
    onSuccess: () => toast({ title: 'Test sent', description: 'Sent to your own address.' }),
  });
  const send = useMutation({
    mutationFn: (letter: Letter) => sendCampaign({ ...letter, campaignId, perMinute: Number(pace) }),
    meta: { handled: true, invalidates: [queryKeys.campaigns.all] },
    onSuccess: ({ recipients: total }) => {
      toast({
        title: 'The email is being sent',
        description: total === 1 ? 'To 1 address.' : `To ${total} addresses.`,
      });
      onDone();
    },
    onError: (error) => {
      setConfirming(null);
      refuseForm(form, { message: describeError(error, 'The email was not sent. Check your connection.') });
    },
  });
  if (confirming !== null)
    return (
      <Question
        recipients={recipients}
        busy={send.isPending}
        onSend={() => send.mutate(confirming)}
        onBack={() => {
          setConfirming(null);
          setCampaignId(crypto.randomUUID());
        }}
      />
    );
  return (
    <Form form={form} onSend={(letter) => setConfirming(letter)} className="space-y-4">
      <LetterFields control={form.control} />
      <SelectField label="Pace" options={PACES} value={pace} onChange={(event) => setPace(event.target.value)} />
      <p className="text-sm text-fog">
        Each email ends with an unsubscribe link. Unsubscribed and bounced addresses get nothing.
      </p>
      <FormError control={form.control} />
      <div className="flex flex-wrap gap-3 pt-2">
        <SubmitButton control={form.control}>Continue</SubmitButton>
        <Button
          tone="plain"
          busy={test.isPending}
          onClick={() => void form.handleSubmit((letter) => test.mutate(letter))()}
        >
          Send test to me
        </Button>
        <Button tone="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

function Question({
  recipients,
  busy,
  onSend,
  onBack,
}: {
  recipients: number | null;
  busy: boolean;
  onSend: () => void;
  onBack: () => void;
}) {
  const who = recipients === null ? 'everyone on the list' : recipients === 1 ? '1 address' : `${recipients} addresses`;
  return (
    <div className="space-y-5">
      <Notice tone="warn">
        <p>
          {recipients === 0
            ? 'The mailing list is empty, so there is no one to send this email to.'
            : `Send this email to ${who}? You can stop it midway, but you can’t recall emails that were already sent.`}
        </p>
      </Notice>
      <div className="flex flex-wrap gap-3">
        {recipients === 0 ? null : (
          <Button busy={busy} onClick={onSend}>
            Send to {who}
          </Button>
        )}
        <Button tone="plain" disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}
