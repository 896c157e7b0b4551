import { formatStudioRange } from '#rules/studio-time.ts';
import type { BusinessSettings } from '#rules/business/business.ts';
import type { Database } from '#server/db/database.ts';
import { renderMail } from '#server/mails/layout.ts';
import type { Mail } from '#server/providers/ports.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';

type Waiting = {
  readonly description: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly name: string | null;
  readonly phone: string | null;
};

/** Job `mail.door-help`: tells a member of staff that a customer stands at a closed door; nothing once somebody deals with it. */
export async function sendDoorHelp(
  { db, mail, siteUrl, business }: { db: Database; mail: Mail; siteUrl: string; business: () => BusinessSettings },
  job: Job,
): Promise<JobOutcome> {
  const staff = await db.one<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null and exists (
       select from public.staff_permissions p where p.user_id = u.id and p.permission in ('bookings', 'owner'))`,
    [job.payload['staff']],
  );
  const waiting = await db.one<Waiting>(
    `select i.description, b.reference, b.studio_name as "studioName", b.start_time as start, b.end_time as end,
       coalesce(p.full_name, b.guest_name) as name, coalesce(b.contact_phone, p.phone) as phone
     from private.incident i join private.booking b on b.id = i.booking_id left join public.profiles p on p.user_id = b.user_id
     where i.id = $1::uuid and i.kind = 'door' and i.state = 'open'`,
    [job.subjectId],
  );
  if (staff === null || waiting === null) return 'done';
  const { description, reference, studioName, start, end, name, phone } = waiting;
  await mail.send({
    to: staff.email,
    ...renderMail(business(), {
      subject: `Somebody is at a closed door: ${studioName}`,
      preheader: `${name ?? 'A customer'} can’t get in.`,
      heading: 'The door doesn’t open',
      blocks: [
        { kind: 'text', text: description },
        {
          kind: 'facts',
          rows: [
            ['Customer', name ?? 'Unknown'],
            ['Phone', phone ?? 'None given'],
            ['Reference', reference],
            ['When', `${formatStudioRange(start, end)} (Sydney time)`],
          ],
        },
        { kind: 'button', label: 'Open the door from afar', href: `${siteUrl}/admin?tab=doors` },
      ],
    }),
    key: `job-${job.id}`,
  });
  return 'done';
}
