import { expect, it } from 'vitest';
import { AppError, describeError, errorCode, findRefusal, isRefused, type RefusalActions } from './errors.ts';

it('returns the message of the server', () => {
  expect(describeError(new Error('Email not confirmed'), 'fallback')).toBe('Email not confirmed');
  expect(describeError({ message: 'permission denied', code: '42501' }, 'fallback')).toBe('permission denied');
});

it('returns the fallback for JSON, network messages and empty messages [spec 8.7]', () => {
  for (const message of ['', '{}', '[{"a":1}]', 'Failed to fetch', 'TypeError: Load failed'])
    expect(describeError(new Error(message), 'fallback')).toBe('fallback');
  for (const thrown of [null, undefined, 'text', 7, {}, { message: 7 }])
    expect(describeError(thrown, 'fallback')).toBe('fallback');
});

it('reads the code of an error', () => {
  expect(errorCode(Object.assign(new Error('x'), { code: 'email_not_confirmed' }))).toBe('email_not_confirmed');
  expect(errorCode(new Error('x'))).toBe('');
});

const refused = (code: string) => new AppError(code, 'The server says no.', 409);

it('compares refusals with the codes of a contract, and with no others', () => {
  expect(isRefused<'crew-join'>(refused('terms_required'), 'not_found', 'terms_required')).toBe(true);
  expect(isRefused<'crew-join'>(refused('invitation_ended'), 'terms_required')).toBe(false);
  expect(isRefused<'crew-join'>(null, 'terms_required')).toBe(false);
  // @ts-expect-error the contract does not have this code
  isRefused<'crew-join'>(refused('slot_taken'), 'slot_taken');
  // @ts-expect-error no call is named, so no code is accepted
  isRefused(refused('slot_taken'), 'slot_taken');
  // @ts-expect-error a code of a contract
  expect(errorCode(refused('slot_taken')) === 'slot_taken').toBe(true);
});

it('finds what a page does about each refusal of a call, and nothing for a code of a newer server', () => {
  const actions: RefusalActions<'crew-page', 'end'> = {
    not_found: 'end',
    invitation_ended: 'end',
    not_confirmed: null,
    invalid_request: null,
    too_many_requests: null,
    provider_unavailable: null,
  };
  expect(findRefusal(refused('invitation_ended'), actions)).toBe('end');
  for (const error of [refused('not_confirmed'), refused('made_up_later'), refused('toString'), new Error('x'), null])
    expect(findRefusal(error, actions)).toBeNull();
  expect(describeError(refused('made_up_later'), 'fallback')).toBe('The server says no.');
  // @ts-expect-error a refusal of the call is missing
  const incomplete: RefusalActions<'crew-page', 'end'> = { not_found: 'end' };
  expect(findRefusal(refused('invitation_ended'), incomplete)).toBeNull();
});
