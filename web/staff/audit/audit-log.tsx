import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { formatRecordTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { AUDIT_PAGE, type AuditEntry, readActors, readLatestAudit, searchAudit } from './queries.ts';

const COLUMNS = ['Time', 'Action', 'Resource', 'By', 'Details'];
const TONES: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = { create: 'good', update: 'warn', delete: 'bad' };

/** Shows the audit log: the newest hundred entries, older ones in pages of a hundred, and a search by words. */
export function AuditLog({ words, onSearch }: { words: string; onSearch: (words: string) => void }) {
  const log = useInfiniteQuery({
    queryKey: queryKeys.auditLog.of(words),
    initialPageParam: null as AuditEntry | null,
    queryFn: ({ pageParam }) =>
      words === '' && pageParam === null ? readLatestAudit() : searchAudit(words, pageParam),
    getNextPageParam: (page) => (page.length < AUDIT_PAGE ? undefined : page.at(-1)),
  });
  const entries = log.data?.pages.flat() ?? [];
  return (
    <>
      <h2 className="text-3xl">Audit Logs</h2>
      <p className="mt-2 text-fog">Times are Sydney time.</p>
      <SearchForm key={words} words={words} onSearch={onSearch} />
      {log.isError ? (
        <LoadFailed
          title="Failed to fetch audit logs"
          why={describeError(log.error, 'Check your connection.')}
          onRetry={() => void log.refetch()}
        />
      ) : log.data ? (
        <>
          <p role="status" className="mb-4 text-sm text-fog tabular-nums">
            {counted(entries.length, words, log.hasNextPage)}
          </p>
          {entries.length > 0 ? <Entries entries={entries} /> : null}
          {log.hasNextPage ? (
            <Button
              tone="plain"
              className="mt-6"
              busy={log.isFetchingNextPage}
              onClick={() => void log.fetchNextPage()}
            >
              Show older entries
            </Button>
          ) : null}
        </>
      ) : (
        <Skeleton className="h-96" label="Loading the audit log" />
      )}
    </>
  );
}

function counted(count: number, words: string, more: boolean): string {
  if (count === 0) return words === '' ? 'No audit logs yet.' : `No log entries contain "${words}".`;
  const shown = `${count} ${count === 1 ? 'entry' : 'entries'}${words === '' ? '' : ` with "${words}"`}`;
  return more ? `The latest ${shown}` : shown;
}

const searchSchema = z.object({ words: z.string().trim() });

function SearchForm({ words, onSearch }: { words: string; onSearch: (words: string) => void }) {
  const form = useSchemaForm(searchSchema, { defaultValues: { words } });
  return (
    <Form
      form={form}
      onSend={(typed) => onSearch(typed.words)}
      role="search"
      className="my-6 flex max-w-2xl flex-wrap items-end gap-3"
    >
      <TextField
        control={form.control}
        label="Search the log"
        name="words"
        type="search"
        maxLength={200}
        autoComplete="off"
        placeholder="discount_code PARTY20"
        className="min-w-48 grow"
      />
      <SubmitButton control={form.control} tone="plain">
        Search
      </SubmitButton>
      {words === '' ? null : (
        <Button tone="quiet" onClick={() => onSearch('')}>
          Show all
        </Button>
      )}
    </Form>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const ids = [...new Set(entries.flatMap((entry) => (entry.actor === null ? [] : [entry.actor])))].toSorted();
  const actors = useQuery({
    queryKey: queryKeys.auditActors.of(ids),
    queryFn: () => readActors(ids),
    staleTime: 300_000,
  });
  return (
    <Table caption="Audit log" columns={COLUMNS}>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell label="Time" className="max-sm:col-span-full">
            <time dateTime={entry.created_at} className="whitespace-nowrap tabular-nums">
              {formatRecordTime(new Date(entry.created_at))}
            </time>
          </Cell>
          <Cell label="Action">
            <Chip tone={TONES[entry.action] ?? 'plain'}>{entry.action}</Chip>
          </Cell>
          <Cell label="Resource">
            <Resource entry={entry} />
          </Cell>
          <Cell label="By" className="break-all max-sm:col-span-full">
            {actorName(entry.actor, actors.data)}
          </Cell>
          <Cell label="Details" className="max-lg:col-span-full">
            <Details details={entry.details} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** The id that is stored as the actor of jobs and of the service key. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

function actorName(actor: string | null, actors: ReadonlyMap<string, string> | undefined): string {
  if (actor === null || actor === NOBODY) return 'The system';
  return actors?.get(actor) ?? actor.slice(0, 8);
}

function Resource({ entry }: { entry: AuditEntry }) {
  return (
    <>
      {entry.resource_type}
      {entry.resource_id === null ? null : (
        <span className="block max-w-40 truncate text-sm text-dust" title={entry.resource_id}>
          {entry.resource_id}
        </span>
      )}
    </>
  );
}

function Details({ details }: { details: AuditEntry['details'] }) {
  return (
    <dl className="max-w-sm text-sm">
      {Object.entries(details ?? {}).map(([name, value]) => (
        <div key={name} className="flex flex-wrap gap-x-2">
          <dt className="text-dust">{name}</dt>
          <dd className="break-all">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
