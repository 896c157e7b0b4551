import type { Database, Queryable } from '#server/db/database.ts';

/** Kinds of jobs of which a subject has one without a key. */
const WITHOUT_KEY: readonly unknown[] = [
  'access.request',
  'access.revoke',
  'image.delete',
  'mail.booking-cancelled',
  'mail.booking-confirmed',
  'mail.id-decision',
  'mail.id-withdrawn',
  'mail.link-expired',
  'mail.payment-link',
  'payment.partial-refund',
  'payment.refund',
];

/** Returns whether a parameter may be empty: the key of such a job, the address of an unknown caller, settings, and the shared plug. */
const mayBeEmpty = (text: string, values: readonly unknown[], index: number): boolean =>
  (text.includes('insert into private.outbox') && index === 3 && WITHOUT_KEY.includes(values[1])) ||
  (text.includes('private.take_coupon_guess') && index === 1) ||
  (text.includes('private.hold_early') && index === 5) ||
  (text.includes('private.set_business_settings') && index === 0) ||
  (text.includes('private.follow_sessions') && index === 3);

/**
 * Returns the same database, but refuses a statement of the operations with an empty text among its parameters, or with a key that begins
 * or ends with its separator. The database stores such words without a complaint, and most tests read the rows of their own case only.
 */
export function strictDatabase(db: Database): Database {
  return { ...db, ...strictQueries(db), transaction: (work) => db.transaction((tx) => work(strictQueries(tx))) };
}

function strictQueries({ query, queryRow }: Queryable): Pick<Queryable, 'query' | 'queryRow'> {
  return {
    query: async (text, values) => {
      requireWords(text, values);
      return query(text, values);
    },
    queryRow: async (text, values) => {
      requireWords(text, values);
      return queryRow(text, values);
    },
  };
}

function requireWords(text: string, values: readonly unknown[] = []): void {
  if (text.trim() === '') throw new Error('A statement is empty.');
  values.forEach((value, index) => {
    if (mayBeEmpty(text, values, index)) return;
    if (textsIn(value).some((word) => word === '' || /^:|:$|::/.test(word)))
      throw new Error(`A text of $${index + 1} is empty or incomplete, ${JSON.stringify(value)}: ${text}`);
  });
}

/** Returns the texts in a parameter and in the JSON that it is. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(textsIn);
}
