import pg from 'pg';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import type { Image } from './reader.ts';
import { sqlNameOf, type Table, type TableAccess } from './tables.ts';

/** Members that one statement judges: a statement of a caller may take 3 s. */
const MEMBERS_MAX = 100;

/** The row as JSON text. */
export const jsonOf = (image: Image): string =>
  `{${Object.entries(image)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;

/**
 * Decides which rows each member of one role may see, by the table's row policies over images of the rows: a deleted row is judged as it
 * was. Returns one list of booleans per member. A policy that fails for a member hides its rows.
 */
export async function judge(
  context: { db: Database; log: Log },
  request: { table: Table; access: TableAccess; members: readonly Member[]; images: readonly Image[] },
): Promise<readonly (readonly boolean[])[]> {
  const { table, access, members, images } = request;
  const { condition } = access;
  if (condition === 'true' || condition === 'false') return members.map(() => images.map(() => condition === 'true'));
  const [first] = members;
  if (first && !dependsOnCaller(condition)) {
    const [visible = []] = await judgeSome(context, table, condition, [first], images);
    return members.map(() => visible);
  }
  const chunks: (readonly Member[])[] = [];
  for (let at = 0; at < members.length; at += MEMBERS_MAX) chunks.push(members.slice(at, at + MEMBERS_MAX));
  return (await Promise.all(chunks.map((chunk) => judgeSome(context, table, condition, chunk, images)))).flat();
}

/** A condition without functions and sub-selects is the same for every caller of a role. */
const dependsOnCaller = (condition: string): boolean =>
  /[\w"]\s*\(|\bselect\b|\bcurrent_|\bsession_user\b|\buser\b/i.test(condition);

async function judgeSome(
  { db, log }: { db: Database; log: Log },
  table: Table,
  condition: string,
  members: readonly Member[],
  images: readonly Image[],
): Promise<readonly (readonly boolean[])[]> {
  const statement = statementFor(table, condition);
  const rows = `[${images.map(jsonOf).join(',')}]`;
  const role = members[0]?.role ?? 'anon';
  const ask = async (some: readonly Member[]): Promise<readonly (readonly boolean[])[]> => {
    const claims = `[${some.map((member) => JSON.stringify(member.claims)).join(',')}]`;
    const { rows: answer } = await db.as<{ visible: readonly (readonly boolean[])[] }>(
      { role: 'authenticator', claims: '{}', caller: 'realtime' },
      'select realtime.judge($1, $2, $3::jsonb, $4::jsonb) as visible',
      [statement, role, claims, rows],
    );
    return answer[0]?.visible ?? some.map(() => images.map(() => false));
  };
  try {
    return await ask(members);
  } catch (error) {
    if (members.length === 1) {
      log.warn({ err: error, table: table.name }, 'a row policy failed for a subscriber');
      return [images.map(() => false)];
    }
    // One member's failure must not hide the rows of the others.
    const single = members.map((member) => ask([member]).catch(() => [images.map(() => false)]));
    return (await Promise.all(single)).flat();
  }
}

/** The aliases are unlikely names: the policy's columns are not qualified. */
function statementFor(table: Table, condition: string): string {
  const alias = pg.escapeIdentifier(table.name);
  return `select coalesce(jsonb_agg(coalesce((${condition}), false) order by realtime_row_number), '[]')
    from jsonb_array_elements($1) with ordinality as realtime_rows (realtime_row, realtime_row_number),
      lateral jsonb_populate_record(null::${sqlNameOf(table)}, realtime_row) as ${alias}`;
}
