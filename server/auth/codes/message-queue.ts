import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Transaction, Queryable } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { ACCOUNT_CHANGES } from '#server/mails/account/account-changed.ts';
import { deleteClosedJobs, endJobs, enqueue, type Job, type JobHandler, type JobKinds } from '#server/queue/jobs.ts';
import type { WorkerOptions } from '#server/queue/queue.ts';
import type { Contact } from '../core/contact.ts';
import { MESSAGE_KINDS, type MessageKind, type MessageQueue } from '../core/message-queue.ts';
import type { Message } from './messages.ts';

/**
 * The workers that send messages. Mails and text messages have separate workers, so that an outage of one service does not delay the other.
 */
export const MESSAGE_WORKERS = {
  'account-mails': { atOnce: 20 },
  'account-texts': { atOnce: 20 },
} as const satisfies Record<string, WorkerOptions>;
/**
 * Messages whose recipient is not waiting at a form. They are sent however late; all others are dropped once their code would have expired.
 */
const WITHOUT_DEADLINE: readonly MessageKind[] = ['invite'];
/** The recipient is waiting for the message, so delivery is retried at least once a minute. */
const LONGEST_WAIT_MS = 60_000;

export function createMessageQueue(dependencies: {
  /** Returns the address if it is an allowed page of another app, else null. */
  mailRedirect: (request: string | null | undefined) => string | null;
  /** Makes a worker look for due jobs immediately. */
  wake: (worker: keyof typeof MESSAGE_WORKERS) => void;
  clock: Clock;
  codeSeconds: number;
}): MessageQueue {
  const { mailRedirect, wake, clock, codeSeconds } = dependencies;
  return {
    async add(tx, message) {
      const id = randomUUID();
      const now = clock();
      const payload: z.input<typeof payloadSchema> = {
        userId: message.userId ?? null,
        attemptId: message.attemptId ?? null,
        redirectTo: mailRedirect(message.redirectTo),
        requestedAt: now.toISOString(),
      };
      await enqueue(tx, {
        id,
        kind: 'email' in message ? mailJob(message.kind) : textJob(message.kind),
        subjectId: message.userId ?? id,
        dedupe: id,
        recipient: getRecipient(message),
        payload,
        dueAt: now,
        ...(WITHOUT_DEADLINE.includes(message.kind)
          ? {}
          : { deadlineAt: new Date(now.getTime() + codeSeconds * 1000) }),
      });
      return id;
    },
    wake() {
      wake('account-mails');
      wake('account-texts');
    },
  };
}

/**
 * Registers the job kinds of all messages. Anyone can cause a message, so failures raise only one alert (`alerts`); its row holds an
 * address, so it is deleted afterwards (`deletes`).
 */
export function messageJobKinds(send: (message: Message) => Promise<void>): JobKinds {
  const rules = { longestWaitMs: LONGEST_WAIT_MS, alerts: 'once', deletes: true } as const;
  const createHandler =
    (kind: MessageKind, to: 'email' | 'phone'): JobHandler =>
    async (job) => {
      await send(readMessage(job, kind, to));
      return 'done';
    };
  return Object.fromEntries(
    MESSAGE_KINDS.flatMap((kind) => [
      [mailJob(kind), { ...rules, worker: 'account-mails', handle: createHandler(kind, 'email') }] as const,
      [textJob(kind), { ...rules, worker: 'account-texts', handle: createHandler(kind, 'phone') }] as const,
    ]),
  );
}

/** Ends the waiting messages of a person: those about the account, and those to the address or phone. */
export async function endMessages(
  tx: Transaction,
  person: { readonly id: string | null; readonly email: string | null; readonly phone: string | null },
  kinds: readonly MessageKind[] = MESSAGE_KINDS,
): Promise<void> {
  await endJobs(tx, {
    kinds: toJobKinds(kinds),
    subjectId: person.id,
    recipients: [person.email, person.phone],
  });
}

/** Time for which a message that staff closed by hand can be retried. */
const CLOSED_MS = 24 * 60 * 60_000;

/** Deletes messages that staff closed more than a day ago, because their rows hold addresses. */
export async function deleteClosedMessages(db: Queryable, now: Date): Promise<void> {
  await deleteClosedJobs(db, toJobKinds(MESSAGE_KINDS), new Date(now.getTime() - CLOSED_MS));
}

const toJobKinds = (kinds: readonly MessageKind[]): string[] => [...kinds.map(mailJob), ...kinds.map(textJob)];
const mailJob = (kind: MessageKind): string => `account-mail.${kind}`;
const textJob = (kind: MessageKind): string => `account-text.${kind}`;
const getRecipient = (contact: Contact): string => ('email' in contact ? contact.email : contact.phone);

const payloadSchema = z.object({
  userId: z.uuid().nullable(),
  attemptId: z.uuid().nullable(),
  redirectTo: z.string().nullable(),
  requestedAt: z.string(),
  change: z.enum(ACCOUNT_CHANGES).nullish(),
});

function readMessage(job: Job, kind: MessageKind, to: 'email' | 'phone'): Message {
  const { userId, attemptId, redirectTo, requestedAt, change } = payloadSchema.parse(job.payload);
  return {
    id: job.id,
    kind,
    email: to === 'email' ? job.recipient : null,
    phone: to === 'phone' ? job.recipient : null,
    userId,
    attemptId,
    redirectTo,
    requestedAt: new Date(requestedAt),
    change: change ?? null,
  };
}
