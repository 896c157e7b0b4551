import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { ConfirmPhone } from './confirm-phone.tsx';
import { useProof } from './proof.tsx';
import { removePhone } from './queries.ts';

/** Adds, changes and removes the confirmed number for text messages. `phone`: the number, or null. */
export function PhoneNumber({ userId, phone }: { userId: string; phone: string | null }) {
  const [doing, setDoing] = useState<'change' | 'remove' | null>(null);
  const close = (): void => setDoing(null);
  if (phone === null) return <ConfirmPhone userId={userId} current={null} />;
  if (doing === 'change') return <ConfirmPhone userId={userId} current={phone} onClose={close} />;
  return (
    <div className="flex max-w-md flex-wrap items-center justify-between gap-x-6 gap-y-2 border-y border-line py-3">
      <p>
        <span className="block text-sm text-fog">Number for text messages</span>
        <strong>{phone}</strong>
      </p>
      <div className="flex flex-wrap gap-3">
        <Button tone="plain" aria-label={`Change ${phone}`} onClick={() => setDoing('change')}>
          Change
        </Button>
        <Button tone="quiet" aria-label={`Remove ${phone}`} onClick={() => setDoing('remove')}>
          Remove
        </Button>
      </div>
      <Dialog open={doing === 'remove'} title="Remove your number?" onClose={close}>
        <RemovePhone phone={phone} onClose={close} />
      </Dialog>
    </div>
  );
}

const schema = z.object({ phone: z.string(), currentPassword: z.string(), nonce: z.string() });

function RemovePhone({ phone, onClose }: { phone: string; onClose: () => void }) {
  const form = useSchemaForm(schema, { defaultValues: { phone: '', currentPassword: '', nonce: '' } });
  const proof = useProof(form);
  const remove = useMutation({
    mutationFn: removePhone,
    meta: { handled: true, invalidates: [queryKeys.reminders.all] },
    onSuccess: () => {
      toast({ title: 'Number removed', description: 'You won’t get any more text messages.' });
      onClose();
    },
    onError: (error) => proof.refuse(error, 'We couldn’t remove your number. Please try again.'),
  });
  return (
    <Form form={form} onSend={remove.mutateAsync} getTitle={() => null} className="space-y-5">
      <p>
        We delete {phone} here and send you no more text reminders. Emails stay as they are, and so does the phone
        number in your profile.
      </p>
      {proof.fields}
      <FormEnd control={form.control} tone="danger" leave="Keep it" onLeave={onClose}>
        Remove number
      </FormEnd>
    </Form>
  );
}
