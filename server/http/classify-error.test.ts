import { expect, test } from 'vitest';
import { CallerStopped, DatabaseBusy, DatabaseError } from '#server/db/database.ts';
import { bodyRefusals } from './bodies/bodies.ts';
import { TokenRefused } from './caller.ts';
import { classifyError } from './classify-error.ts';
import { CallerSuspended } from './suspension.ts';

const databaseError = (code: string): DatabaseError => new DatabaseError({ code, message: 'x' });

test('tokens and bodies that were refused keep their error', () => {
  const [token, body] = [new TokenRefused('bad_jwt', 'x'), bodyRefusals.tooLarge()];
  expect(classifyError(token)).toEqual({ kind: 'token', error: token });
  expect(classifyError(body)).toEqual({ kind: 'body', error: body });
});

test('a suspended caller waits as long as the error says, whether a request or a statement was refused', () => {
  const message = expect.stringContaining('took too long');
  for (const error of [new CallerSuspended(7), new CallerStopped(7)])
    expect(classifyError(error)).toEqual({ kind: 'suspended', retryAfter: 7, message });
});

test('the database is busy or away by its SQLSTATE: a full queue says for how long, and every other one two seconds', () => {
  expect(classifyError(new DatabaseBusy(5))).toEqual({ kind: 'busy', retryAfter: 5 });
  for (const code of ['08006', '53300', '57P01', '57P03'])
    expect([code, classifyError(databaseError(code))]).toEqual([code, { kind: 'busy', retryAfter: 2 }]);
});

test('everything else is of no class, with errors of a statement and errors that only look like one of the database', () => {
  const lookalike = Object.assign(new Error('x'), { name: 'DatabaseError', code: '08006' });
  for (const error of [databaseError('23505'), databaseError('57014'), lookalike, new Error('x'), 'x', null])
    expect(classifyError(error)).toEqual({ kind: 'other' });
});
