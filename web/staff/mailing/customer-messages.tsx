import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { titleOfJob } from '#rules/alerts/jobs.ts';
import { type Letter, letterSchema } from '#rules/letter.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { LetterFields } from './letter-fields.tsx';
import { type CustomerMessage, MESSAGES_SHOWN, readCustomerMessages, writeCustomer } from './message-queries.ts';

/** The mails to a customer, with a form to write one. */
export function CustomerMessages({ userId }: { userId: string }) {
  const [writing, setWriting] = useState(false);
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-2xl">Emails</h3>
        {writing ? null : (
          <Button tone="plain" onClick={() => setWriting(true)}>
            Write email
          </Button>
        )}
      </div>
      {writing ? <MessageForm userId={userId} onDone={() => setWriting(false)} /> : null}
      <MessageList userId={userId} />
    </section>
  );
}

function MessageForm({ userId, onDone }: { userId: string; onDone: () => void }) {
  // With this id, another try after a lost answer sends the email only once.
  const [messageId] = useState(() => crypto.randomUUID());
  const form = useSchemaForm(letterSchema, { defaultValues: { subject: '', body: '' } });
  const send = useMutation({
    mutationFn: (letter: Letter) => writeCustomer({ ...letter, messageId, userId }),
    meta: { handled: true, invalidates: [queryKeys.customerMessages.all] },
    onSuccess: (_sent, { subject }) => {
      toast({ title: 'Email queued', description: subject });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The email was not sent. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} startAt="subject" className="mb-6 space-y-4 border border-line p-4">
      <p className="text-sm text-fog">Replies go to the business email address.</p>
      <LetterFields control={form.control} />
      <FormEnd control={form.control} onLeave={onDone}>
        Send email
      </FormEnd>
    </Form>
  );
}

function MessageList({ userId }: { userId: string }) {
  const messages = useQuery({
    queryKey: queryKeys.customerMessages.of(userId),
    queryFn: () => readCustomerMessages(userId),
    // A pending mail is sent within moments, so the list is polled more often.
    refetchInterval: ({ state }) =>
      state.data?.some((message) => message.sent_at === null && !message.closed) ? 5_000 : 60_000,
  });
  return (
    <Loaded query={messages} what="the emails" why={describeLoadError} skeleton="h-24">
      {(data) =>
        data.length === 0 ? (
          <p className="text-fog">No emails yet.</p>
        ) : (
          <>
            <ul className="space-y-3">
              {data.map((message) => (
                <Message key={`${message.kind} ${message.id}`} message={message} />
              ))}
            </ul>
            {data.length === MESSAGES_SHOWN ? (
              <p className="mt-3 text-sm text-fog">Showing the last {MESSAGES_SHOWN}.</p>
            ) : null}
          </>
        )
      }
    </Loaded>
  );
}

function Message({ message }: { message: CustomerMessage }) {
  const { kind, subject, body, reference, made_by: by, problem } = message;
  const at = new Date(message.sent_at ?? message.at);
  return (
    <li className="border-l-4 border-line pl-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-semibold break-words">{subject ?? titleOfJob(kind)}</span>
        <State message={message} />
      </p>
      {body === null ? null : <p className="mt-1 break-words whitespace-pre-line text-fog">{body}</p>}
      {problem === null ? null : <p className="mt-1 text-sm break-words text-warn">{problem}</p>}
      <p className="text-sm text-fog">
        {[
          `${formatStudioDateTime(at)} (Sydney time)`,
          ...(subject === null ? [] : [titleOfJob(kind)]),
          ...(reference === null ? [] : [reference]),
          ...(by === null ? [] : [`by ${by}`]),
        ].join(', ')}
      </p>
    </li>
  );
}

function State({ message }: { message: CustomerMessage }) {
  if (message.sent_at !== null) return <Chip tone="good">Sent</Chip>;
  if (message.closed) return <Chip tone="bad">Not sent</Chip>;
  return message.problem === null ? <Chip>Queued</Chip> : <Chip tone="warn">Retrying</Chip>;
}
