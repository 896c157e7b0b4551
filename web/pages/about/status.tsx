import { useQuery } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { PublicFrame } from '#web/features/landing/public-frame.tsx';
import { queryKeys } from '#web/data/query-keys.ts';
import { readStatus, type StatusPart } from '#web/features/status/queries.ts';
import { Loaded } from '#web/ui/progress.tsx';

/**
 * The parts of the service in the words of customers, in the order in which they meet them. `meanwhile` explains what a disturbance means
 * for them.
 */
const PARTS = [
  {
    name: 'bookings',
    title: 'Choosing hours and booking',
    meanwhile: 'New bookings may fail. Bookings you have are safe.',
  },
  {
    name: 'payments',
    title: 'Payments',
    meanwhile: 'Paying and refunds may take longer. No one is charged twice.',
  },
  {
    name: 'doors',
    title: 'Door codes',
    meanwhile: 'New door codes may come late. A code you already have works.',
  },
  { name: 'mails', title: 'Emails', meanwhile: 'Emails arrive later. Your bookings and codes are on this site too.' },
] as const;

const EVERY_MS = 30_000;

/** Shows customers which parts of the service work. The server answers the page's request without its database. */
export default function StatusPage() {
  const status = useQuery({ queryKey: queryKeys.status.of(), queryFn: readStatus, refetchInterval: EVERY_MS });
  return (
    <PublicFrame title="Status" lead={<p aria-live="polite">{status.data ? describeParts(status.data) : null}</p>}>
      <div className="mt-12">
        <Loaded
          query={status}
          what="the status"
          failed="The server doesn’t answer."
          why={() => 'Bookings you have are safe, and a door code you already have works.'}
          skeleton="h-96"
        >
          {(parts) => (
            <ul className="border-t border-line">
              {PARTS.map(({ name, title, meanwhile }) => (
                <PartRow
                  key={name}
                  title={title}
                  meanwhile={meanwhile}
                  part={parts.find((part) => part.name === name)}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </div>
    </PublicFrame>
  );
}

function describeParts(parts: readonly StatusPart[]): string {
  const disturbed = parts.filter(({ state }) => state === 'disturbed').length;
  if (disturbed === 0) return 'Everything is working.';
  return `${disturbed === 1 ? 'One part has' : `${disturbed} parts have`} problems. We’re working on it.`;
}

const formatSince = ({ since }: StatusPart): string => formatStudioDateTime(new Date(since));

function PartRow({ title, meanwhile, part }: { title: string; meanwhile: string; part: StatusPart | undefined }) {
  const disturbed = part?.state === 'disturbed';
  return (
    <li className="grid gap-x-8 gap-y-1 border-b border-line py-6 sm:grid-cols-[1fr_auto]">
      <h2 className="text-2xl">{title}</h2>
      <p className={`flex items-center gap-3 font-semibold ${disturbed ? 'text-warn' : 'text-good'}`}>
        <span aria-hidden="true" className={`size-3 ${disturbed ? 'bg-warn' : 'rounded-full bg-good'}`} />
        {disturbed ? 'Disturbed' : 'Working'}
      </p>
      {disturbed ? (
        <p className="max-w-prose text-fog sm:col-span-2">
          Since {formatSince(part)} (Sydney time). {meanwhile}
        </p>
      ) : null}
    </li>
  );
}
