/** One row of a dump: column → PostgreSQL's text form, or null. */
export type DumpRow = Readonly<Record<string, string | null>>;

/** Thrown for a dump that cannot be read. The message names the place. */
export class DumpRefused extends Error {
  override readonly name = 'DumpRefused';
}

const NAME = String.raw`"?(\w+)"?\."?(\w+)"?\s*\(([^)]*)\)`;
const COPY = new RegExp(String.raw`^COPY\s+${NAME}\s+FROM\s+stdin;\s*$`, 'im');
const INSERT = new RegExp(String.raw`^INSERT\s+INTO\s+${NAME}\s+(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*`, 'im');

/** Reads the rows of a table from the COPY and INSERT statements of a `pg_dump` file. Ignores all other content. */
export function readDump(dump: string, schema: string, table: string): DumpRow[] {
  const rows: DumpRow[] = [];
  let rest = dump;
  for (;;) {
    const copy = COPY.exec(rest);
    const insert = INSERT.exec(rest);
    const next = copy && (!insert || copy.index < insert.index) ? copy : insert;
    if (!next) return rows;
    const [statement, inSchema, inTable, list = ''] = next;
    const names = list.split(',').map((name) => name.trim().replaceAll('"', ''));
    rest = rest.slice(next.index + statement.length);
    const read = next === copy ? readCopied(rest) : readInserted(rest);
    rest = rest.slice(read.length);
    if (inSchema !== schema || inTable !== table) continue;
    for (const values of read.rows) {
      if (values.length !== names.length)
        throw new DumpRefused(`a row of ${schema}.${table} has ${values.length} values for ${names.length} columns`);
      rows.push(Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])));
    }
  }
}

type Read = { readonly rows: (string | null)[][]; readonly length: number };
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/** Reads the lines of a COPY statement up to `\.`. */
function readCopied(text: string): Read {
  const end = /^\\\.\r?$/m.exec(text);
  if (!end) throw new DumpRefused('a COPY does not end');
  const lines = text
    .slice(0, end.index)
    .split(/\r?\n/)
    .filter((line) => line !== '');
  const value = (field: string): string | null =>
    field === String.raw`\N`
      ? null
      : field.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES.get(character) ?? character);
  return { rows: lines.map((line) => line.split('\t').map(value)), length: end.index + end[0].length };
}

const VALUE = /\s*(?:(NULL)|(E?)'((?:[^'\\]|''|\\[^])*)'|([-+.\w]+))(?:::"?[\w.]+"?)?\s*([,)])/iy;
const BETWEEN = /\s*(?:(,)\s*\(|\(|[^;]*;)/y;

/** Reads the rows of an INSERT statement up to its semicolon. */
function readInserted(text: string): Read {
  const rows: (string | null)[][] = [];
  let at = 0;
  for (;;) {
    BETWEEN.lastIndex = at;
    const between = BETWEEN.exec(text);
    if (!between) throw new DumpRefused('an INSERT does not end');
    at = BETWEEN.lastIndex;
    if (between[0].endsWith(';')) return { rows, length: at };
    const row: (string | null)[] = [];
    for (let open = true; open;) {
      VALUE.lastIndex = at;
      const value = VALUE.exec(text);
      if (!value) throw new DumpRefused(`a value cannot be read: ${text.slice(at, at + 20)}`);
      at = VALUE.lastIndex;
      row.push(value[1] === undefined ? unquoted(value) : null);
      open = value[5] === ',';
    }
    rows.push(row);
  }
}

function unquoted([, , escaped = '', quoted, bare]: RegExpExecArray): string {
  if (quoted === undefined) return bare ?? '';
  const text = quoted.replaceAll("''", "'");
  return escaped === ''
    ? text
    : text.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES.get(character) ?? character);
}
