import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { Failure } from '#web/lib/business/failure.tsx';
import { UNEXPECTED, describeError, errorCode } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { CodeField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { type SecondFactor, verifyFactor, verifyKey } from './queries.ts';
import { useChallenge } from './use-challenge.ts';

const WHAT: Readonly<Record<SecondFactor['type'], string>> = {
  totp: 'Open your authenticator app and type the code it shows.',
  phone: 'We’ll send a code to your phone.',
  webauthn: 'Use the security key you added.',
};
const schema = z.object({ code: z.string().regex(/^\d{6}$/, 'The code has 6 digits.') });

/** Asks for the second factor before any page can be used. The only other option is to sign out. */
export default function SecondStep({
  factors,
  onSignOut,
}: {
  factors: readonly [SecondFactor, ...SecondFactor[]];
  onSignOut: () => void;
}) {
  const [chosen, setChosen] = useState(factors[0]);
  return (
    <Dialog open title="Two-step sign-in" onClose={onSignOut}>
      <div className="space-y-4">
        <p className="text-fog">{WHAT[chosen.type]}</p>
        {chosen.type === 'webauthn' ? (
          <SecurityKey key={chosen.id} factorId={chosen.id} />
        ) : (
          <Code key={chosen.id} factorId={chosen.id} byMessage={chosen.type === 'phone'} />
        )}
        <div className="flex flex-wrap gap-x-4">
          {factors
            .filter((factor) => factor.id !== chosen.id)
            .map((factor) => (
              <Button key={factor.id} tone="quiet" onClick={() => setChosen(factor)}>
                Use {factor.name === '' ? 'another way' : factor.name}
              </Button>
            ))}
          <Button tone="quiet" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function SecurityKey({ factorId }: { factorId: string }) {
  const verify = useMutation({ mutationFn: () => verifyKey(factorId), meta: { handled: true } });
  return (
    <>
      <Failure action={verify} text={UNEXPECTED} />
      <Button className="w-full" busy={verify.isPending} onClick={() => verify.mutate()}>
        Use security key
      </Button>
    </>
  );
}

/** Asks for the code of an app, or of a message that is sent first. */
function Code({ factorId, byMessage }: { factorId: string; byMessage: boolean }) {
  const challenge = useChallenge(factorId);
  const send = useMutation({ mutationFn: challenge.ask, meta: { handled: true } });
  if (!byMessage || send.isSuccess) return <CodeForm factorId={factorId} challenge={challenge} />;
  return (
    <>
      <Failure action={send} text={UNEXPECTED} />
      <Button className="w-full" busy={send.isPending} onClick={() => send.mutate()}>
        Send code
      </Button>
    </>
  );
}

function CodeForm({ factorId, challenge }: { factorId: string; challenge: ReturnType<typeof useChallenge> }) {
  const form = useSchemaForm(schema, { defaultValues: { code: '' } });
  const verify = useMutation({
    mutationFn: async ({ code }: { code: string }) => verifyFactor(factorId, await challenge.ask(), code),
    meta: { handled: true },
    onError: (error) => {
      challenge.forget();
      form.setValue('code', '');
      const mistyped = errorCode(error) === 'mfa_verification_failed';
      const message = mistyped ? 'That code isn’t right. Please try again.' : describeError(error, UNEXPECTED);
      refuseForm(form, { message, field: 'code' });
    },
  });
  return (
    <Form form={form} onSend={verify.mutateAsync} getTitle={() => null} startAt="code" className="space-y-4">
      <CodeField control={form.control} name="code" label="6-digit code" digits={6} />
      <SubmitButton control={form.control} className="w-full">
        Continue
      </SubmitButton>
    </Form>
  );
}
