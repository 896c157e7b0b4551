import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { formatStudioDate } from '#rules/studio-time.ts';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import {
  addAuthenticatorApp,
  type AuthenticatorApp,
  confirmAuthenticatorApp,
  type NewAuthenticatorApp,
  readAuthenticatorApps,
  removeAuthenticatorApp,
} from './queries.ts';

const KEY = ['second-step'];

/** Shows the authenticator apps, and the form that adds one. */
export function SecondStep({ userId }: { userId: string }) {
  const client = useQueryClient();
  const apps = useQuery({ queryKey: [...KEY, userId], queryFn: readAuthenticatorApps });
  const [adding, setAdding] = useState<NewAuthenticatorApp | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const again = (): Promise<void> => client.invalidateQueries({ queryKey: KEY });

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    setBusy(what);
    try {
      await work();
    } catch (error) {
      toast({ title: 'Error', description: describeError(error, UNEXPECTED), tone: 'bad' });
    } finally {
      setBusy(null);
    }
  }

  if (apps.data === undefined)
    return apps.isError ? (
      <Notice tone="bad">
        <p>Your authenticator apps could not be loaded.</p>
        <Button tone="plain" className="mt-3" onClick={() => void apps.refetch()}>
          Try again
        </Button>
      </Notice>
    ) : (
      <Skeleton className="h-24" label="Loading your authenticator apps" />
    );
  if (adding !== null)
    return (
      <Adding
        app={adding}
        onCancel={() => {
          void removeAuthenticatorApp(adding.id).catch(() => undefined); // not confirmed: the server removes it later
          setAdding(null);
        }}
        onDone={() => {
          setAdding(null);
          toast({ title: 'Two-step sign-in is on', description: 'Other devices were signed out.' });
          void again();
        }}
      />
    );
  return (
    <div className="space-y-5">
      <p className="max-w-prose text-fog">
        {apps.data.length === 0
          ? 'With an authenticator app, a stolen password isn’t enough: signing in also takes a code from your phone.'
          : 'Signing in asks for a code from your authenticator app.'}
      </p>
      <ul className="space-y-3">
        {apps.data.map((app) => (
          <App
            key={app.id}
            app={app}
            busy={busy === app.id}
            onRemove={() => void attempt(app.id, () => removeAuthenticatorApp(app.id).then(again))}
          />
        ))}
      </ul>
      <Button
        tone="plain"
        busy={busy === 'add'}
        onClick={() => void attempt('add', async () => setAdding(await addAuthenticatorApp(freeName(apps.data))))}
      >
        {apps.data.length === 0 ? 'Add an authenticator app' : 'Add another app'}
      </Button>
    </div>
  );
}

/** Returns a name that no other app of the account has. */
function freeName(apps: readonly AuthenticatorApp[]): string {
  const taken = new Set(apps.map((app) => app.name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'Authenticator app' : `Authenticator app ${number}`;
    if (!taken.has(name)) return name;
  }
}

function App({ app, busy, onRemove }: { app: AuthenticatorApp; busy: boolean; onRemove: () => void }) {
  const [confirming, setConfirming] = useState(false);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-l-4 border-good bg-deck p-4 sm:px-5">
      <p>
        <span className="font-semibold">{app.name}</span>
        <span className="block text-sm text-fog">Added {formatStudioDate(new Date(app.addedAt))}</span>
      </p>
      {confirming ? (
        <span className="flex flex-wrap gap-2">
          <Button tone="danger" busy={busy} onClick={onRemove}>
            Remove {app.name}
          </Button>
          <Button tone="quiet" onClick={() => setConfirming(false)}>
            Keep it
          </Button>
        </span>
      ) : (
        <Button tone="quiet" onClick={() => setConfirming(true)} aria-label={`Remove ${app.name}`}>
          Remove
        </Button>
      )}
    </li>
  );
}

function Adding({ app, onCancel, onDone }: { app: NewAuthenticatorApp; onCancel: () => void; onDone: () => void }) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!/^\d{6}$/.test(code)) return setError('The code has 6 digits.');
    setBusy(true);
    setError(null);
    try {
      await confirmAuthenticatorApp(app.id, code);
      onDone();
    } catch (cause) {
      setCode('');
      setError(
        errorCode(cause) === 'mfa_verification_failed'
          ? 'That code isn’t right. Type the code that your app shows now.'
          : describeError(cause, UNEXPECTED),
      );
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-5">
      <p className="max-w-prose text-fog">
        Scan this with an authenticator app on your phone, such as the one your phone came with. Then type the code it
        shows.
      </p>
      <div className="flex flex-wrap items-start gap-6">
        <img
          src={`data:image/svg+xml,${encodeURIComponent(app.qrCode)}`}
          alt="QR code for your authenticator app"
          width={208}
          height={208}
          className="size-52 bg-white"
        />
        <div className="min-w-0 flex-1 basis-56 space-y-1.5">
          <p className="text-sm font-semibold" id="second-step-key">
            Or type this key into the app
          </p>
          <p aria-labelledby="second-step-key" className="font-mono text-sm break-all text-fog select-all">
            {app.secret.replace(/(.{4})(?=.)/g, '$1 ')}
          </p>
        </div>
      </div>
      <Field
        label="6-digit code"
        inputMode="numeric"
        autoComplete="one-time-code"
        large
        value={code}
        onChange={(event) => setCode(event.target.value.replace(/\D/g, '').slice(0, 6))}
        error={error}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={busy}>
          Turn on
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
