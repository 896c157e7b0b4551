import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, UNEXPECTED, wasCancelled } from '#web/lib/errors.ts';
import { ownPath, paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { continueWith, finishContinue, readSignInMethods, signInWithPasskey, type SignInMethods } from './queries.ts';

const PASSKEY = 'passkey';
const NAMES: Readonly<Record<string, string>> = {
  google: 'Google',
  apple: 'Apple',
  azure: 'Microsoft',
  github: 'GitHub',
};
const getName = (provider: string): string =>
  NAMES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1).replaceAll('_', ' ');

/** Offers the ways to sign in without a password: a button for each identity provider, and passkeys. Shows nothing if there are none. */
export function ContinueWith({ onSignedIn }: { onSignedIn: () => void }) {
  const methods = useQuery({ queryKey: queryKeys.signInMethods.of(), queryFn: readSignInMethods, staleTime: Infinity });
  const returned = useReturn();
  const leave = useMutation({
    mutationFn: (method: string) => (method === PASSKEY ? signInWithPasskey() : continueWith(method, returnAddress())),
    meta: { handled: true },
    onSuccess: (_done, method) => (method === PASSKEY ? onSignedIn() : undefined),
  });
  useBackAgain(leave.reset);
  const problem = leave.isIdle ? returned.problem : leave.error && describeFailure(leave.error);
  const some = methods.data !== undefined && (methods.data.passkeys || methods.data.providers.length > 0);
  if (!some && problem === null && !returned.busy) return null;
  return (
    <div className="mt-6 space-y-3">
      {problem === null ? null : (
        <Notice tone="bad">
          <p className="text-sm">{problem}</p>
        </Notice>
      )}
      {returned.busy ? (
        <Button busy className="w-full">
          Signing you in
        </Button>
      ) : some ? (
        // After a success the buttons stay busy, because the browser is leaving for the provider.
        <MethodButtons
          methods={methods.data}
          busy={leave.isPending || leave.isSuccess ? leave.variables : null}
          onChoose={leave.mutate}
        />
      ) : null}
    </div>
  );
}

function MethodButtons({
  methods,
  busy,
  onChoose,
}: {
  methods: SignInMethods;
  busy: string | null;
  onChoose: (method: string) => void;
}) {
  const all = [
    ...methods.providers.map((provider) => ({ method: provider, label: `Continue with ${getName(provider)}` })),
    ...(methods.passkeys ? [{ method: PASSKEY, label: 'Use a passkey' }] : []),
  ];
  return (
    <>
      <p className="flex items-center gap-4 text-sm text-dust before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      {all.map(({ method, label }) => (
        <Button
          key={method}
          tone="plain"
          className="w-full"
          busy={busy === method}
          disabled={busy !== null}
          onClick={() => onChoose(method)}
        >
          {label}
        </Button>
      ))}
    </>
  );
}

const describeFailure = (error: Error): string =>
  wasCancelled(error) ? 'Sign-in was cancelled. Try again, or use your password.' : describeError(error, UNEXPECTED);

/** Returns the address of this site to which the provider returns, with the page to open then. */
function returnAddress(): string {
  const { origin, pathname, search } = window.location;
  const from = pathname === paths.auth ? ownPath(new URLSearchParams(search).get('from')) : `${pathname}${search}`;
  return `${origin}${paths.auth}${from === null ? '' : `?from=${encodeURIComponent(from)}`}`;
}

/** Codes that were already exchanged. A code works only once, and React may run an effect twice. */
const exchanged = new Set<string>();

/** Handles the return from a provider: exchanges its code for a session, or reports its error. `busy` while that runs. */
function useReturn(): { busy: boolean; problem: string | null } {
  const [query] = useState(
    () => new URLSearchParams(window.location.pathname === paths.auth ? window.location.search : ''),
  );
  const code = query.get('code');
  const [fresh] = useState(() => code !== null && !exchanged.has(code));
  const { mutate, ...exchange } = useMutation({ mutationFn: finishContinue, meta: { handled: true } });
  useEffect(() => {
    if (code === null || exchanged.has(code)) return;
    exchanged.add(code);
    mutate(code);
  }, [code, mutate]);
  const refused = exchange.error ? describeError(exchange.error, UNEXPECTED) : query.get('error_description');
  return {
    busy: fresh && (exchange.isIdle || exchange.isPending),
    problem: refused === null ? null : `That didn’t work: ${refused}`,
  };
}
