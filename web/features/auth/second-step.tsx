import { type FormEvent, useEffect, useRef, useState } from 'react';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { challengeFactor, type SecondFactor, verifyFactor, verifyKey } from './queries.ts';

const WHAT: Readonly<Record<SecondFactor['type'], string>> = {
  totp: 'Open your authenticator app and type the code it shows.',
  phone: 'We’ll send a code to your phone.',
  webauthn: 'Use the security key you added.',
};

/** Asks for the second factor before anything else can be used. The only other way out is signing out. */
export default function SecondStep({
  factors,
  onSignOut,
}: {
  factors: readonly [SecondFactor, ...SecondFactor[]];
  onSignOut: () => void;
}) {
  const [chosen, setChosen] = useState(factors[0]);
  const challenge = useRef<string | null>(null);
  const [code, setCode] = useState('');
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (cause) {
      // A challenge allows five wrong codes, so every attempt after a failure starts a new one.
      challenge.current = null;
      setCode('');
      setError(
        chosen.type !== 'webauthn' && errorCode(cause) === 'mfa_verification_failed'
          ? 'That code isn’t right. Please try again.'
          : describeError(cause, UNEXPECTED),
      );
    } finally {
      setBusy(false);
    }
  }
  const ask = async (): Promise<string> => {
    challenge.current ??= await challengeFactor(chosen.id);
    return challenge.current;
  };

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!/^\d{6}$/.test(code)) return setError('The code has 6 digits.');
    void attempt(async () => verifyFactor(chosen.id, await ask(), code));
  }

  const form = useRef<HTMLFormElement>(null);
  const needsMessage = chosen.type === 'phone' && !sent;
  useEffect(() => form.current?.querySelector('input')?.focus(), [chosen, needsMessage]);
  return (
    <Dialog open title="Two-step sign-in" onClose={onSignOut}>
      <form ref={form} onSubmit={submit} noValidate className="space-y-4">
        <p className="text-fog">{WHAT[chosen.type]}</p>
        {chosen.type === 'webauthn' || needsMessage ? (
          <>
            {error === null ? null : (
              <Notice tone="bad">
                <p className="text-sm">{error}</p>
              </Notice>
            )}
            <Button
              className="w-full"
              busy={busy}
              onClick={() =>
                void attempt(async () => {
                  if (chosen.type === 'webauthn') return verifyKey(chosen.id);
                  await ask();
                  setSent(true);
                })
              }
            >
              {chosen.type === 'webauthn' ? 'Use security key' : 'Send code'}
            </Button>
          </>
        ) : (
          <>
            <Field
              label="6-digit code"
              inputMode="numeric"
              autoComplete="one-time-code"
              large
              value={code}
              onChange={(event) => setCode(event.target.value.replace(/\D/g, '').slice(0, 6))}
              error={error}
            />
            <Button type="submit" busy={busy} className="w-full">
              Continue
            </Button>
          </>
        )}
        <div className="flex flex-wrap gap-x-4">
          {factors
            .filter((one) => one.id !== chosen.id)
            .map((one) => (
              <Button
                key={one.id}
                tone="quiet"
                onClick={() => {
                  challenge.current = null;
                  setChosen(one);
                  setSent(false);
                  setError(null);
                }}
              >
                Use {one.name === '' ? 'another way' : one.name}
              </Button>
            ))}
          <Button tone="quiet" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
