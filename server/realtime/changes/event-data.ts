import { type Change, getField, type Image } from './outbox.ts';
import type { Table, TableAccess } from './tables.ts';

/** Maximum size of a change that is sent with all its fields, in characters of JSON. Larger changes are sent with small fields only. */
const CHANGE_MAX = 1_048_576;
const FIELD_MAX = 64;

/**
 * Returns the `data` of a `postgres_changes` event as JSON text, with the columns that the role may read, in their order. `select`: the
 * columns that the client requested; null for all. `showsOld`: whether the old row may be shown.
 */
export function encodeChange(
  table: Table,
  change: Change,
  access: TableAccess,
  { select, showsOld }: { select: readonly string[] | null; showsOld: boolean },
): string {
  const head = `"schema":${JSON.stringify(table.schema)},"table":${JSON.stringify(table.name)},"type":"${change.kind}","commit_timestamp":${JSON.stringify(change.at.toISOString())}`;
  const fault = findFault(table, access);
  if (fault !== null) return `{${head},"columns":[],${emptyRecords(change)},"errors":[${JSON.stringify(fault)}]}`;
  const columns = table.columns.filter(
    ({ name }) => access.columns.has(name) && (select === null || select.includes(name) || table.key.includes(name)),
  );
  const shown = new Set(columns.map(({ name }) => name));
  const size = getSize(change.record) + getSize(change.oldRecord);
  const tooLarge = size > CHANGE_MAX;
  const pick = (image: Image | null, names: (name: string) => boolean): string => {
    const fields = columns.filter(({ name }) => names(name) && getField(image, name) !== undefined);
    const texts = fields.map(({ name, type }) => [name, formatValue(getField(image, name) ?? 'null', type)] as const);
    const small = texts.filter(([, value]) => !tooLarge || value.length <= FIELD_MAX);
    return `{${small.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  };
  const described = columns.map(({ name, type }) => `{"name":${JSON.stringify(name)},"type":${JSON.stringify(type)}}`);
  const parts = [head, `"columns":[${described.join(',')}]`];
  if (change.kind !== 'DELETE') parts.push(`"record":${pick(change.record, () => true)}`);
  if (change.kind !== 'INSERT')
    parts.push(
      `"old_record":${showsOld ? pick(change.oldRecord, (name) => shown.has(name) && table.identity.includes(name)) : '{}'}`,
    );
  parts.push(`"errors":${tooLarge ? '["Error 413: Payload Too Large"]' : 'null'}`);
  return `{${parts.join(',')}}`;
}

/** Returns why a role gets no data of a table at all, or null. */
function findFault(table: Table, access: TableAccess): string | null {
  if (table.key.length === 0) return 'Error 400: Bad Request, no primary key';
  return table.key.every((name) => access.columns.has(name)) ? null : 'Error 401: Unauthorized';
}

function emptyRecords({ kind }: Change): string {
  if (kind === 'INSERT') return '"record":{}';
  return kind === 'DELETE' ? '"old_record":{}' : '"record":{},"old_record":{}';
}

const getSize = (image: Image | null): number =>
  Object.values(image ?? {}).reduce((total, value) => total + value.length, 0);

/** Returns PostgreSQL's own JSON of the value, with bytea lacking the prefix of its text form. */
const formatValue = (value: string, type: string): string =>
  type === 'bytea' && value.startsWith('"\\\\x') ? `"${value.slice(4)}` : value;
