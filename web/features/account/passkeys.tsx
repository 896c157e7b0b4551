import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { formatStudioDate } from '#rules/studio-time.ts';
import { describeError, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { addPasskey, type Passkey, readPasskeys, removePasskey, renamePasskey } from './queries.ts';

const KEY = ['passkeys'];
const supported = typeof window !== 'undefined' && 'PublicKeyCredential' in window;

/** Lists, adds, renames and removes passkeys. */
export function Passkeys({ userId }: { userId: string }) {
  const client = useQueryClient();
  const passkeys = useQuery({ queryKey: [...KEY, userId], queryFn: readPasskeys, retry: false });
  const [busy, setBusy] = useState(false);
  const again = (): Promise<void> => client.invalidateQueries({ queryKey: KEY });

  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    try {
      await work();
      await again();
    } catch (error) {
      toast({ title: 'Error', description: describeFailure(error), tone: 'bad' });
    } finally {
      setBusy(false);
    }
  }

  if (passkeys.data === undefined)
    return passkeys.isError ? (
      <Notice tone="bad">
        <p>Your passkeys could not be loaded.</p>
        <Button tone="plain" className="mt-3" onClick={() => void passkeys.refetch()}>
          Try again
        </Button>
      </Notice>
    ) : (
      <Skeleton className="h-24" label="Loading your passkeys" />
    );
  return (
    <div className="space-y-5">
      <p className="max-w-prose text-fog">
        Sign in with your fingerprint, your face or your screen lock. There’s no password to type, and none to steal.
      </p>
      <ul className="space-y-3">
        {passkeys.data.map((passkey) => (
          <Row
            key={passkey.id}
            passkey={passkey}
            busy={busy}
            onRename={(name) => attempt(() => renamePasskey(passkey.id, name))}
            onRemove={() => void attempt(() => removePasskey(passkey.id))}
          />
        ))}
      </ul>
      {supported ? (
        <Button
          tone="plain"
          busy={busy}
          onClick={() => void attempt(() => addPasskey(`Passkey ${(passkeys.data.length + 1).toString()}`))}
        >
          Add a passkey
        </Button>
      ) : (
        <p className="text-sm text-dust">This browser doesn’t support passkeys.</p>
      )}
    </div>
  );
}

function describeFailure(error: unknown): string {
  const closed =
    error instanceof Error && /NotAllowed|not allowed|timed out|cancel|abort/i.test(`${error.name} ${error.message}`);
  return closed ? 'Nothing was added.' : describeError(error, UNEXPECTED);
}

function Row({
  passkey,
  busy,
  onRename,
  onRemove,
}: {
  passkey: Passkey;
  busy: boolean;
  onRename: (name: string) => Promise<void>;
  onRemove: () => void;
}) {
  const name = passkey.friendly_name || 'Passkey';
  const [typed, setTyped] = useState<string | null>(null);
  const [confirming, setConfirming] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const renaming = typed !== null;
  useEffect(() => {
    if (renaming) form.current?.querySelector('input')?.focus();
  }, [renaming]);

  async function rename(event: FormEvent): Promise<void> {
    event.preventDefault();
    const wanted = (typed ?? '').trim();
    if (wanted !== '') await onRename(wanted);
    setTyped(null);
  }

  if (typed !== null)
    return (
      <li className="bg-deck p-4 sm:px-5">
        <form ref={form} onSubmit={(event) => void rename(event)} className="flex flex-wrap items-end gap-3">
          <Field
            label={`New name for ${name}`}
            className="min-w-0 flex-1 basis-56"
            maxLength={120}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" tone="plain" busy={busy}>
            Save
          </Button>
          <Button tone="quiet" onClick={() => setTyped(null)}>
            Cancel
          </Button>
        </form>
      </li>
    );
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-l-4 border-good bg-deck p-4 sm:px-5">
      <p className="min-w-0">
        <span className="font-semibold break-words">{name}</span>
        <span className="block text-sm text-fog">
          Added {formatStudioDate(new Date(passkey.created_at))}
          {passkey.last_used_at === undefined
            ? ', not used yet'
            : `, last used ${formatStudioDate(new Date(passkey.last_used_at))}`}
        </span>
      </p>
      {confirming ? (
        <span className="flex flex-wrap gap-2">
          <Button tone="danger" busy={busy} onClick={onRemove}>
            Remove {name}
          </Button>
          <Button tone="quiet" onClick={() => setConfirming(false)}>
            Keep it
          </Button>
        </span>
      ) : (
        <span className="flex flex-wrap gap-1">
          <Button tone="quiet" onClick={() => setTyped(name)} aria-label={`Rename ${name}`}>
            Rename
          </Button>
          <Button tone="quiet" onClick={() => setConfirming(true)} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}
