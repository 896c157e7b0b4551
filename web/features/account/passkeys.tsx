import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { UNEXPECTED, describeError, wasCancelled } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { addPasskey, type Passkey, readPasskeys, removePasskey, renamePasskey } from './queries.ts';

const supported = typeof window !== 'undefined' && 'PublicKeyCredential' in window;
const invalidates = [queryKeys.passkeys.all];

/** Lists, adds, renames and removes passkeys. */
export function Passkeys({ userId }: { userId: string }) {
  const passkeys = useQuery({ queryKey: queryKeys.passkeys.of(userId), queryFn: readPasskeys, retry: false });
  return (
    <Loaded query={passkeys} what="your passkeys" skeleton="h-24">
      {(own) => (
        <div className="space-y-5">
          <p className="max-w-prose text-fog">
            Sign in with your fingerprint, your face or your screen lock. There’s no password to type, and none to
            steal.
          </p>
          <ul className="space-y-3">
            {own.map((passkey) => (
              <Row key={passkey.id} passkey={passkey} />
            ))}
          </ul>
          {supported ? (
            <AddPasskey name={`Passkey ${(own.length + 1).toString()}`} />
          ) : (
            <p className="text-sm text-dust">This browser doesn’t support passkeys.</p>
          )}
        </div>
      )}
    </Loaded>
  );
}

function AddPasskey({ name }: { name: string }) {
  const add = useMutation({
    mutationFn: () => addPasskey(name),
    meta: { handled: true, invalidates },
    onError: (error) => {
      const description = wasCancelled(error) ? 'Nothing was added.' : describeError(error, UNEXPECTED);
      toast({ title: 'Error', description, tone: 'bad' });
    },
  });
  return (
    <Button tone="plain" busy={add.isPending} onClick={() => add.mutate()}>
      Add a passkey
    </Button>
  );
}

function Row({ passkey }: { passkey: Passkey }) {
  const [doing, setDoing] = useState<'nothing' | 'renaming' | 'removing'>('nothing');
  const name = passkey.friendly_name || 'Passkey';
  const stop = (): void => setDoing('nothing');
  if (doing === 'renaming')
    return (
      <li className="bg-deck p-4 sm:px-5">
        <Rename id={passkey.id} name={name} onDone={stop} />
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
      {doing === 'removing' ? (
        <Remove id={passkey.id} name={name} onKeep={stop} />
      ) : (
        <span className="flex flex-wrap gap-1">
          <Button tone="quiet" onClick={() => setDoing('renaming')} aria-label={`Rename ${name}`}>
            Rename
          </Button>
          <Button tone="quiet" onClick={() => setDoing('removing')} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}

const renameSchema = z.object({ name: z.string().trim() });

function Rename({ id, name, onDone }: { id: string; name: string; onDone: () => void }) {
  const form = useSchemaForm(renameSchema, { defaultValues: { name } });
  const rename = useMutation({
    // An empty name changes nothing.
    mutationFn: async (typed: { name: string }) => (typed.name === '' ? undefined : renamePasskey(id, typed.name)),
    meta: { invalidates },
    onSettled: onDone,
  });
  return (
    <Form form={form} onSend={rename.mutateAsync} startAt="name" className="flex flex-wrap items-end gap-3">
      <TextField
        control={form.control}
        name="name"
        label={`New name for ${name}`}
        className="min-w-0 flex-1 basis-56"
        maxLength={120}
      />
      <SubmitButton control={form.control} tone="plain">
        Save
      </SubmitButton>
      <Button tone="quiet" onClick={onDone}>
        Cancel
      </Button>
    </Form>
  );
}

function Remove({ id, name, onKeep }: { id: string; name: string; onKeep: () => void }) {
  const remove = useMutation({ mutationFn: () => removePasskey(id), meta: { invalidates } });
  return (
    <Confirm action={remove} keep="Keep it" onKeep={onKeep}>
      Remove {name}
    </Confirm>
  );
}
