import type { Auditor } from './auditor.ts';

/** A mail reaches its reader once, unless the mail server's answer was lost. */
export const auditRepeatedMails: Auditor = ({ world, report }) => {
  const { mails, answersLost } = world.machine.mailbox;
  const groups = Map.groupBy(mails, ({ to, messageId }) => `${to} ${messageId}`);
  for (const [key, copies] of groups)
    if (copies.length > 1 + (answersLost.get(copies[0]?.messageId ?? '') ?? 0))
      report('G10', `${key}: ${copies[0]?.subject} came ${copies.length} times`);
};

type Confirmed = { id: string; reference: string; email: string };
const CONFIRMED = `
select b.id, b.reference, coalesce(u.email, b.guest_email) as email from private.booking b
left join auth.users u on u.id = b.user_id
where b.status = 'confirmed' and b.confirmed_at < $1::timestamptz - interval '75 minutes' and coalesce(u.email, b.guest_email) is not null
  and u.deleted_at is null`;

/** The customer of a confirmed booking was informed. */
export const auditConfirmations: Auditor = async ({ world, db, report }) => {
  const { rows } = await db.query<Confirmed>(CONFIRMED, [new Date(world.time.now())]);
  const texts = Map.groupBy(
    world.machine.mailbox.mails.filter(({ subject }) => /confirmed|moved|extended/i.test(subject)),
    ({ to }) => to,
  );
  for (const { id, reference, email } of rows)
    if (!texts.get(email.toLowerCase())?.some(({ text }) => text.includes(reference)))
      report('G10', `${email} got no email that booking ${reference} (${id}) is confirmed`);
};
