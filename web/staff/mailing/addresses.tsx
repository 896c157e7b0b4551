import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { ADDRESSES_SHOWN, removeFromMailingList, searchMailingList, type Subscription } from './queries.ts';

const COLUMNS = ['Email', 'Joined', 'Status', 'Actions'];
const searchSchema = z.object({ words: z.string().trim().max(200) });

/** Finds addresses of the mailing list. */
export function Addresses() {
  const [words, setWords] = useState('');
  const form = useSchemaForm(searchSchema, { defaultValues: { words } });
  return (
    <section className="mt-12">
      <h3 className="mb-4 text-2xl">Addresses</h3>
      <Form
        form={form}
        role="search"
        onSend={(typed) => setWords(typed.words)}
        className="mb-6 flex flex-wrap items-end gap-3"
      >
        <TextField
          control={form.control}
          name="words"
          label="Search addresses"
          type="search"
          autoComplete="off"
          className="min-w-64 flex-1"
        />
        <SubmitButton control={form.control} tone="plain">
          Search
        </SubmitButton>
      </Form>
      <Found words={words} />
    </section>
  );
}

function Found({ words }: { words: string }) {
  const found = useQuery({ queryKey: queryKeys.mailingList.of(words), queryFn: () => searchMailingList(words) });
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <Loaded query={found} what="the addresses" why={describeLoadError} skeleton="h-48">
      {(data) =>
        data.length === 0 ? (
          <Empty>{words === '' ? 'No one has joined the list yet.' : 'No addresses match.'}</Empty>
        ) : (
          <>
            <Table caption="Addresses" columns={COLUMNS}>
              {data.map((subscription) => (
                <Row key={subscription.email}>
                  <Cell label="Email">
                    <span className="break-all">{subscription.email}</span>
                  </Cell>
                  <Cell label="Joined">{formatStudioDate(new Date(subscription.joined_at), 'medium')}</Cell>
                  <Cell label="Status">
                    <Status subscription={subscription} />
                  </Cell>
                  <Cell label="">
                    {subscription.left_at === null ? (
                      <Button tone="plain" onClick={() => setRemoving(subscription.email)}>
                        Remove <span className="sr-only">{subscription.email}</span>
                      </Button>
                    ) : null}
                  </Cell>
                </Row>
              ))}
            </Table>
            {data.length === ADDRESSES_SHOWN ? (
              <p className="mt-4 text-sm text-fog">Showing the newest {ADDRESSES_SHOWN}. Search to find others.</p>
            ) : null}
            <Dialog open={removing !== null} title="Remove this address?" onClose={() => setRemoving(null)}>
              {removing === null ? null : <RemoveQuestion email={removing} onDone={() => setRemoving(null)} />}
            </Dialog>
          </>
        )
      }
    </Loaded>
  );
}

function Status({ subscription }: { subscription: Subscription }) {
  if (subscription.left_at !== null) return <Chip>Unsubscribed</Chip>;
  if (subscription.bounced_at !== null) return <Chip tone="warn">Bounced</Chip>;
  return <Chip tone="good">Subscribed</Chip>;
}

function RemoveQuestion({ email, onDone }: { email: string; onDone: () => void }) {
  const remove = useMutation({
    mutationFn: () => removeFromMailingList(email),
    meta: {
      title: 'Error',
      failure: 'The address is still on the list. Try again.',
      invalidates: [queryKeys.mailingList.all, queryKeys.mailingCounts.all],
    },
    onSuccess: () => {
      toast({ title: 'Address removed', description: email });
      onDone();
    },
  });
  return (
    <div className="space-y-5">
      <p className="break-words">{email} will get no more news. Only its owner can subscribe again.</p>
      <Confirm action={remove} tone="signal" keep="Back" onKeep={onDone}>
        Remove address
      </Confirm>
    </div>
  );
}
