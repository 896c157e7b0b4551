import { useEffect, useState } from 'react';
import { ownPath, paths } from '#web/lib/paths.ts';
import { describeError, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { continueWith, finishContinue, readWaysIn, signInWithPasskey, type WaysIn } from './queries.ts';

const NAMES: Readonly<Record<string, string>> = {
  google: 'Google',
  apple: 'Apple',
  azure: 'Microsoft',
  github: 'GitHub',
};
const nameOf = (provider: string): string =>
  NAMES[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1).replaceAll('_', ' ');

/** Offers the ways in besides a password: a button for each identity provider, and passkeys. Shows nothing where there are none. */
export function ContinueWith({ onSignedIn }: { onSignedIn: () => void }) {
  const [ways, setWays] = useState<WaysIn | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const returning = useReturn(setProblem);

  useEffect(() => {
    let here = true;
    void readWaysIn().then((found) => (here ? setWays(found) : undefined));
    return () => {
      here = false;
    };
  }, []);

  async function leave(way: string, work: () => Promise<void>): Promise<void> {
    setBusy(way);
    setProblem(null);
    try {
      await work();
      if (way === 'passkey') onSignedIn();
    } catch (error) {
      setProblem(
        wasCancelled(error)
          ? 'Sign-in was cancelled. Try again, or use your password.'
          : describeError(error, UNEXPECTED),
      );
      setBusy(null);
    }
  }

  const some = ways !== null && (ways.passkeys || ways.providers.length > 0);
  if (!some && problem === null && !returning) return null;
  return (
    <div className="mt-6 space-y-3">
      {problem === null ? null : (
        <Notice tone="bad">
          <p className="text-sm">{problem}</p>
        </Notice>
      )}
      {returning ? (
        <Button busy className="w-full">
          Signing you in
        </Button>
      ) : null}
      {some && !returning ? (
        <>
          <p className="flex items-center gap-4 text-sm text-dust before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or
          </p>
          {ways.providers.map((provider) => (
            <Button
              key={provider}
              tone="plain"
              className="w-full"
              busy={busy === provider}
              disabled={busy !== null}
              onClick={() => void leave(provider, () => continueWith(provider, returnAddress()))}
            >
              Continue with {nameOf(provider)}
            </Button>
          ))}
          {ways.passkeys ? (
            <Button
              tone="plain"
              className="w-full"
              busy={busy === 'passkey'}
              disabled={busy !== null}
              onClick={() => void leave('passkey', signInWithPasskey)}
            >
              Use a passkey
            </Button>
          ) : null}
        </>
      ) : null}
    </div>
  );
}

/** Returns our address for the way back from the provider, with the page to return to. */
function returnAddress(): string {
  const { origin, pathname, search } = window.location;
  const from = pathname === paths.auth ? ownPath(new URLSearchParams(search).get('from')) : `${pathname}${search}`;
  return `${origin}${paths.auth}${from === null ? '' : `?from=${encodeURIComponent(from)}`}`;
}

/** Codes already exchanged. A code works once, and React may run an effect twice. */
const traded = new Set<string>();

/** Handles the return from a provider: exchanges its code for a session, or reports its error. True while that runs. */
function useReturn(tell: (problem: string) => void): boolean {
  const [returning, setReturning] = useState(
    () => window.location.pathname === paths.auth && new URLSearchParams(window.location.search).has('code'),
  );
  useEffect(() => {
    if (window.location.pathname !== paths.auth) return;
    const query = new URLSearchParams(window.location.search);
    const said = query.get('error_description');
    if (said !== null) tell(`That didn’t work: ${said}`);
    const code = query.get('code');
    if (code === null || traded.has(code)) return;
    traded.add(code);
    finishContinue(code)
      .catch((error: unknown) => tell(`That didn’t work: ${describeError(error, UNEXPECTED)}`))
      .finally(() => setReturning(false));
  }, [tell]);
  return returning;
}

/** Whether the user closed the browser's passkey dialog. */
function wasCancelled(error: unknown): boolean {
  return (
    error instanceof Error &&
    /NotAllowedError|not allowed|timed out|cancel|abort/i.test(`${error.name} ${error.message}`)
  );
}
