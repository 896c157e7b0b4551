import { expect, test } from 'vitest';
import { createJsonBudget } from './json-budget.ts';
import { createReadSender, getSender } from './json-sender.ts';

const MEGABYTE = 1024 * 1024;

test('an address has four megabytes a minute, an account of the same address 64, and the service key no limit', () => {
  let now = 0;
  const budget = createJsonBudget(1, () => now);
  const address = { address: '203.0.113.7' };
  expect(budget.take(address, 4 * MEGABYTE)).toBeNull();
  expect(budget.take(address, MEGABYTE)).toBe(15);
  expect(budget.take({ address: '203.0.113.8' }, MEGABYTE)).toBeNull();
  expect(budget.take({ account: 'a' }, 64 * MEGABYTE)).toBeNull();
  expect(budget.take({ account: 'a' }, 1)).toBe(1);
  expect(budget.take(null, 1_000 * MEGABYTE)).toBeNull();
  now += 15_000;
  expect(budget.take(address, MEGABYTE)).toBeNull();
  expect(budget.take(address, 1)).toBe(1);
  expect(budget.take(address, 5 * MEGABYTE)).toBe(75);
});

test('the factor multiplies the budget', () => {
  const budget = createJsonBudget(10, () => 0);
  expect(budget.take({ address: 'a' }, 40 * MEGABYTE)).toBeNull();
  expect(budget.take({ address: 'a' }, 1)).toBe(1);
});

test('the account of a verified token is the sender; a guest, the anonymous key and a malformed token are an address', async () => {
  const read = createReadSender(
    { verify: (token) => Promise.resolve(token === 'good' ? { role: 'authenticated', sub: 'me' } : null) },
    () => new Date(),
  );
  const from = (headers: Record<string, string>) => read(new Request('http://localhost', { headers }), '203.0.113.7');
  expect(await from({ authorization: 'Bearer good' })).toEqual({ account: 'me' });
  expect(await from({ authorization: 'Bearer bad' })).toEqual({ address: '203.0.113.7' });
  expect(await from({})).toEqual({ address: '203.0.113.7' });
  expect(getSender({ role: 'anon', sub: 'me' }, 'x')).toEqual({ address: 'x' });
  expect(getSender({ role: 'service_role' }, 'x')).toBeNull();
});
