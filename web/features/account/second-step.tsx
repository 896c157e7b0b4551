import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { NewApp } from './new-app.tsx';
import {
  addAuthenticatorApp,
  type AuthenticatorApp,
  readAuthenticatorApps,
  removeAuthenticatorApp,
} from './queries.ts';

/** Shows the authenticator apps, and the form that adds one. */
export function SecondStep({ userId }: { userId: string }) {
  const apps = useQuery({ queryKey: queryKeys.authenticatorApps.of(userId), queryFn: readAuthenticatorApps });
  return (
    <Loaded query={apps} what="your authenticator apps" skeleton="h-24">
      {(own) => <Apps apps={own} />}
    </Loaded>
  );
}

function Apps({ apps }: { apps: readonly AuthenticatorApp[] }) {
  const add = useMutation({ mutationFn: () => addAuthenticatorApp(freeName(apps)) });
  // The app was never confirmed. If this fails, the server removes it later.
  const removeApp = useMutation({ mutationFn: removeAuthenticatorApp, meta: { handled: true } });
  if (add.data !== undefined)
    return (
      <NewApp
        app={add.data}
        onCancel={() => {
          removeApp.mutate(add.data.id);
          add.reset();
        }}
        onDone={() => {
          add.reset();
          toast({ title: 'Two-step sign-in is on', description: 'Other devices were signed out.' });
        }}
      />
    );
  return (
    <div className="space-y-5">
      <p className="max-w-prose text-fog">
        {apps.length === 0
          ? 'With an authenticator app, a stolen password isn’t enough: signing in also takes a code from your phone.'
          : 'Signing in asks for a code from your authenticator app.'}
      </p>
      <ul className="space-y-3">
        {apps.map((app) => (
          <App key={app.id} app={app} />
        ))}
      </ul>
      <Button tone="plain" busy={add.isPending} onClick={() => add.mutate()}>
        {apps.length === 0 ? 'Add an authenticator app' : 'Add another app'}
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

function App({ app }: { app: AuthenticatorApp }) {
  const [confirming, setConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeAuthenticatorApp(app.id),
    meta: { invalidates: [queryKeys.authenticatorApps.all] },
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-l-4 border-good bg-deck p-4 sm:px-5">
      <p>
        <span className="font-semibold">{app.name}</span>
        <span className="block text-sm text-fog">Added {formatStudioDate(new Date(app.addedAt))}</span>
      </p>
      {confirming ? (
        <Confirm action={remove} keep="Keep it" onKeep={() => setConfirming(false)}>
          Remove {app.name}
        </Confirm>
      ) : (
        <Button tone="quiet" onClick={() => setConfirming(true)} aria-label={`Remove ${app.name}`}>
          Remove
        </Button>
      )}
    </li>
  );
}
