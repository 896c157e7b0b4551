import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import type { Image } from './outbox.ts';
import { getSqlName, type Table, type TableAccess } from './tables.ts';

/** Maximum number of members that one statement checks, because a caller's statement may take at most 3 s. */
const MEMBERS_MAX = 100;
/** Maximum number of concurrent statements, because the other APIs need connections and processors too. */
const STATEMENTS_AT_ONCE = 2;

/** Returns the row as JSON text. */
export const toJson = (image: Image): string =>
  `{${Object.entries(image)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;

/** Returns whether a member sees an image. */
export type Visible = (member: Member, image: Image) => boolean;

type Request = {
  readonly table: Table;
  readonly access: TableAccess;
  readonly members: readonly Member[];
  readonly images: readonly Image[];
};

/**
 * Finds the rows that each member of one role may see. Evaluates the table's row policies over images of the rows, so that a deleted row is
 * checked as it was. A policy that fails for a member hides its rows.
 */
export async function findVisibleRows(context: { db: Database; log: Log }, request: Request): Promise<Visible> {
  const { table, access, members, images } = request;
  const { condition } = access;
  if (condition === 'true' || condition === 'false') return () => condition === 'true';
  const rows = distinctRows(table, condition, images);
  const alike = !dependsOnCaller(condition);
  const evaluated = alike ? members.slice(0, 1) : members;
  const texts = await evaluateAll(context, table, condition, evaluated, rows.texts);
  const textByIdentity = new Map(evaluated.map((member, index) => [member.identity, texts[index]]));
  return (member, image) => {
    const text = alike ? texts[0] : textByIdentity.get(member.identity);
    return text?.[rows.position.get(image) ?? -1] === '1';
  };
}

/** Whether a condition may differ between callers of one role. It cannot if it contains neither functions nor sub-selects. */
const dependsOnCaller = (condition: string): boolean =>
  /[\w"]\s*\(|\bselect\b|\bcurrent_|\bsession_user\b|\buser\b/i.test(condition);

/**
 * Returns the rows as the policies need them. Columns that the policies do not name are left out, so that many rows become equal. Columns
 * of a domain stay, because their absence might violate the domain's constraint. A policy that names the whole row needs all columns.
 */
function distinctRows(
  table: Table,
  condition: string,
  images: readonly Image[],
): { texts: readonly string[]; position: ReadonlyMap<Image, number> } {
  const whole = condition.includes('.*');
  const named = new Set(
    table.columns
      .filter(({ name, isDomain }) => whole || isDomain || condition.includes(getSpelling(name)))
      .map(({ name }) => name),
  );
  const numbers = new Map<string, number>();
  const position = new Map<Image, number>();
  for (const image of images) {
    const text = toJson(Object.fromEntries(Object.entries(image).filter(([name]) => named.has(name))));
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    position.set(image, number);
  }
  return { texts: [...numbers.keys()], position };
}

/** The name of a column as it stands in the text of a policy, whether quoted or not. */
const getSpelling = (column: string): string => column.replaceAll('"', '""');

/** Returns one text per member, with a 1 for each row that the member sees and a 0 for each other row. */
async function evaluateAll(
  context: { db: Database; log: Log },
  table: Table,
  condition: string,
  members: readonly Member[],
  rows: readonly string[],
): Promise<readonly string[]> {
  const chunks: (readonly Member[])[] = [];
  for (let index = 0; index < members.length; index += MEMBERS_MAX)
    chunks.push(members.slice(index, index + MEMBERS_MAX));
  const results: (readonly string[])[] = [];
  const queue = chunks.entries();
  const lane = async (): Promise<void> => {
    // Both lanes take from one iterator, so each chunk is checked once.
    for (const [at, chunk] of queue) results[at] = await evaluateSome(context, table, condition, chunk, rows);
  };
  await Promise.all(Array.from({ length: STATEMENTS_AT_ONCE }, lane));
  return results.flat();
}

async function evaluateSome(
  { db, log }: { db: Database; log: Log },
  table: Table,
  condition: string,
  members: readonly Member[],
  rows: readonly string[],
): Promise<readonly string[]> {
  const statement = statementFor(table, condition);
  const role = members[0]?.role ?? 'anon';
  const evaluate = async (some: readonly Member[]): Promise<readonly string[]> => {
    const { rows: found } = await db.as<{ visible: readonly string[] }>(
      { role: 'authenticator', claims: '{}', caller: 'realtime' },
      'select realtime.visible_rows($1, $2, $3, $4::text[], $5::text[], $6) as visible',
      [
        getStatementName(table, role, statement),
        statement,
        role,
        some.map(getClaimsText),
        some.map(getSubject),
        `[${rows.join(',')}]`,
      ],
    );
    return (found[0]?.visible ?? []).map((text) => {
      if (text.length === rows.length && !text.startsWith('!')) return text;
      log.warn({ problem: text, table: table.name }, 'a row policy failed for a subscriber, who does not get the rows');
      return '';
    });
  };
  try {
    return await evaluate(members);
  } catch (error) {
    log.warn(
      { err: error, table: table.name },
      'the row policies failed for subscribers; each of them is checked alone',
    );
    if (members.length === 1) return [''];
    // One member's slow policy must not hide the rows of other members, so each member is checked alone.
    const single: string[] = [];
    for (const member of members) single.push(...(await evaluate([member]).catch(() => [''])));
    return single;
  }
}

const claimsTexts = new WeakMap<Member, string>();

function getClaimsText(member: Member): string {
  const cached = claimsTexts.get(member);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(member.claims);
  claimsTexts.set(member, text);
  return text;
}

const getSubject = ({ claims: { sub } }: Member): string => (typeof sub === 'string' ? sub : '');

/** Returns the name under which the statement is prepared. It differs by table, policies and role. */
function getStatementName(table: Table, role: string, statement: string): string {
  const columns = table.columns.map(({ name, type }) => `${name} ${type}`);
  const text = JSON.stringify([role, table.relation, columns, statement]);
  return `visible_rows_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** The function returns the rows in their order, and nothing here changes it. */
const statementFor = (table: Table, condition: string): string =>
  `select coalesce(string_agg(case when (${condition}) then '1' else '0' end, ''), '')
   from jsonb_populate_recordset(null::${getSqlName(table)}, current_setting('realtime.rows')::jsonb) as ${pg.escapeIdentifier(table.name)}`;
