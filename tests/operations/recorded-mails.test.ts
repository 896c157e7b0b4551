import { expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { createLinkSigner } from '#server/crypto/link-signer.ts';
import type { JobDefinition, JobOutcome } from '#server/operations/core/jobs.ts';
import type { MailMessage } from '#server/providers/ports.ts';
import { readPdf } from '#tests/support/files/pdf-text.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { createFakeMail, createFakeTexts } from '#tests/support/providers/messages.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { BOOKING, type Case, CASES, COMMON, encryption, JOB, NOW, booked } from './mail-cases.ts';

/*
 * Every mail and text message for each branch of its conditions, as the operations send it from fixed rows. recorded-mails.txt has them
 * whole. After a deliberate change, run this file with `-u` and read the difference.
 */

/** Statements that change rows. */
const WRITES = /^\s*update \S+|private\.record_\w+/;

/** Runs a job. Returns its outcome, and everything that it wrote and sent. */
async function run(definition: JobDefinition, given: Case): Promise<string> {
  const { rows = booked(), subject = BOOKING, payload = {}, now = NOW, singleUse = false } = given;
  const { db, statements } = createRowDatabase(rows, COMMON);
  const mails: MailMessage[] = [];
  const texts: { to: string; text: string; key: string }[] = [];
  const services = servicesWith({
    db,
    clock: () => new Date(now),
    siteUrl: 'https://studio.example',
    business: () => firstSettings,
    links: createLinkSigner(Buffer.alloc(32, 1)),
    mail: createFakeMail((message) => void mails.push(message)),
    texts: createFakeTexts((message) => void texts.push(message as never)),
    // Cast: the operations read only these capabilities.
    locks: {
      capabilities: { mode: 'bridge', singleUse, endEnforced: true, granularityMinutes: 1, codesPerWindow: 20 },
    } as never,
    encryption,
  });
  const job = { id: JOB, kind: definition.kind, subjectId: subject, recipient: null, payload, tries: 1 };
  const outcome = await definition.handle(services, { ...job, dueAt: new Date(now), deadlineAt: null });
  const sent = [
    ...(await Promise.all(mails.map(describeMail))),
    ...texts.map(({ to, text }) => `To: ${to}\n\n${text}`),
  ];
  const written = statements.flatMap(({ text, values }) => {
    const [change] = WRITES.exec(text) ?? [];
    return change === undefined ? [] : [`Writes: ${change.trim()} ${JSON.stringify(values)}`];
  });
  return [describeOutcome(outcome), ...written, ...(sent.length === 0 ? ['(nothing is sent)'] : sent)].join('\n');
}
const describeOutcome = (outcome: JobOutcome): string => (outcome === 'done' ? 'done' : JSON.stringify(outcome));

async function describeMail(mail: MailMessage): Promise<string> {
  const head = [
    `To: ${mail.to}`,
    ...(mail.replyTo === undefined ? [] : [`Reply-To: ${mail.replyTo}`]),
    ...(mail.unsubscribeUrl === undefined ? [] : [`Unsubscribe: ${mail.unsubscribeUrl}`]),
    `Subject: ${mail.subject}`,
    `Key: ${mail.key}`,
    ...(mail.calendar === undefined
      ? []
      : [`Calendar: ${mail.calendar.method}, ${/UID:.*/.exec(mail.calendar.content)?.[0].trim()}`]),
    ...(mail.document === undefined
      ? []
      : [
          `Document: ${mail.document.name}, ${(await readPdf(mail.document.content)).map((page) => page.split('\n')[0]).join(', ')}`,
        ]),
  ];
  return `${head.join('\n')}\n\n${mail.text.trim()}`;
}

test('every mail and text message is as recorded, for each branch of its conditions', async () => {
  const parts: string[] = [];
  for (const [title, job, given] of CASES) parts.push(`=== ${title}\n${await run(job, given)}\n`);
  expect(new Set(CASES.map(([title]) => title)).size).toBe(CASES.length);
  await expect(parts.join('\n')).toMatchFileSnapshot('recorded-mails.txt');
});
