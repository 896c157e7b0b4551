import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Authorization, Extension } from '../core/ports.ts';
import { JoinRefused, joinRefusals } from '../core/refusals.ts';
import type { Member } from '../core/token.ts';
import { toPrincipal } from './principal.ts';

/** The policies of `realtime.messages` for one role, as SQL conditions; null if the role cannot use the table at all. */
type Conditions = { readonly select: string | null; readonly insert: string | null };

/** Maximum delay until a new policy applies to new joins. */
const CACHE_MS = 1_000;
const QUERY_CANCELED = '57014';

/**
 * Decides who may read and write a private topic, by the SELECT and INSERT policies of `realtime.messages`. They are evaluated as the
 * caller over a row `{topic, extension}` that is never written. Throws `JoinRefused` if the database cannot answer.
 */
export function createAuthorization(db: Database, clock: Clock): Authorization {
  const cache = new Map<string, { readonly conditions: Promise<Conditions>; readonly at: number }>();

  function getConditions(role: string): Promise<Conditions> {
    const now = clock().getTime();
    const cached = cache.get(role);
    if (cached && now - cached.at < CACHE_MS && now >= cached.at) return cached.conditions;
    const conditions = readConditions(db, role);
    cache.set(role, { conditions, at: now });
    conditions.catch(() => cache.delete(role));
    return conditions;
  }

  async function allowed(
    member: Member,
    topic: string,
    command: keyof Conditions,
    extensions: readonly Extension[],
  ): Promise<ReadonlySet<Extension>> {
    try {
      const condition = (await getConditions(member.role))[command];
      if (condition === null || condition === 'false') return new Set();
      if (condition === 'true') return new Set(extensions);
      return await evaluate(db, member, topic, condition, extensions);
    } catch (error) {
      throw toRefusal(error);
    }
  }

  return {
    async rights(member, topic, { presence }) {
      const readable = await allowed(member, topic, 'select', presence ? ['broadcast', 'presence'] : ['broadcast']);
      return { readBroadcast: readable.has('broadcast'), readPresence: readable.has('presence') };
    },
    mayWrite: async (member, topic, extension) => (await allowed(member, topic, 'insert', [extension])).has(extension),
  };
}

async function readConditions(db: Database, role: string): Promise<Conditions> {
  const row = await db.queryRow<Conditions>(
    `select case when has_table_privilege($1::name, 'realtime.messages', 'select')
         then realtime.policy_condition('realtime.messages', $1::name, 'r') end as select,
       case when has_table_privilege($1::name, 'realtime.messages', 'insert')
         then realtime.policy_condition('realtime.messages', $1::name, 'a') end as insert
     from pg_catalog.pg_roles where rolname = $1::name`,
    [role],
  );
  return row ?? { select: null, insert: null };
}

async function evaluate(
  db: Database,
  member: Member,
  topic: string,
  condition: string,
  extensions: readonly Extension[],
): Promise<ReadonlySet<Extension>> {
  const probes = extensions.map((extension) => ({ topic, extension, private: true }));
  const { rows } = await db.as<{ extension: Extension }>(
    toPrincipal(member, { 'realtime.topic': topic }),
    `select extension from jsonb_populate_recordset(null::realtime.messages, $1::jsonb) as messages where ${condition}`,
    [JSON.stringify(probes)],
  );
  return new Set(rows.map((row) => row.extension));
}

function toRefusal(error: unknown): unknown {
  if (error instanceof JoinRefused || !(error instanceof DatabaseError)) return error;
  if (error.code === QUERY_CANCELED) return joinRefusals.queryCanceled();
  return error.code.startsWith('08') ? joinRefusals.databaseDown() : error;
}
