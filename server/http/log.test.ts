import { expect, test } from 'vitest';
import { createLog } from './log.ts';

/** An error of the database, with the fields that PostgreSQL sends. */
class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
const databaseError = ({ message, ...fields }: Record<string, string>): Error =>
  Object.assign(new DatabaseError(message), fields);

/** Logs one entry and returns its line. */
function logged(fields: Record<string, unknown>): Record<string, unknown> {
  const lines: string[] = [];
  createLog('info', { write: (line) => void lines.push(line) }).error(fields, 'it failed');
  expect(lines).toHaveLength(1);
  // A line of the log is a JSON object.
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

test('an error is logged with its type, code and stack, and so are its causes', () => {
  const refused = databaseError({ code: '23514', message: 'refused', constraint: 'price_check' });
  const line = logged({ err: new Error('the job failed', { cause: refused }), job: 7 });
  expect(line).toMatchObject({ msg: 'it failed', job: 7 });
  expect(line['err']).toEqual({
    type: 'Error',
    message: 'the job failed',
    stack: expect.stringContaining('log.test.ts'),
    cause: {
      type: 'DatabaseError',
      message: 'refused',
      code: '23514',
      constraint: 'price_check',
      stack: expect.stringContaining('DatabaseError: refused'),
    },
  });
});

test('what is thrown but is no error is logged as text', () => {
  expect(logged({ err: 'nothing' })['err']).toBe('nothing');
  expect(logged({ err: new Error('outer', { cause: 'a string' }) })['err']).toMatchObject({ cause: 'a string' });
});

test('an error that causes itself is logged', () => {
  const error = new Error('again');
  error.cause = error;
  expect(JSON.stringify(logged({ err: error })['err']).match(/"message":"again"/g)).toHaveLength(6);
});

test('secrets and the values of refused rows are not logged', () => {
  const failed = databaseError({ code: '23502', message: 'null value', detail: 'Failing row contains (hash-1).' });
  const secret = 's3cret';
  const fields = { err: failed, password: secret, body: { pin: secret, session: { access_token: secret } } };
  const text = JSON.stringify(logged({ ...fields, headers: { authorization: secret, cookie: secret } }));
  expect(text).not.toContain(secret);
  expect(text).not.toContain('hash-1');
  expect(text).toContain('null value');
});
