import { expect, test } from 'vitest';
import { outsideUrl } from './leave.ts';

const OWN = 'http://localhost:3000';

test('own pages, https pages and the sandbox on this machine are allowed', () => {
  expect(outsideUrl('/payment-success?session_id=free_1', OWN)).toBe(`${OWN}/payment-success?session_id=free_1`);
  expect(outsideUrl('https://checkout.stripe.com/c/pay/cs_1', OWN)).toBe('https://checkout.stripe.com/c/pay/cs_1');
  expect(outsideUrl('http://127.0.0.1:4011/pay/cs_1', OWN)).toBe('http://127.0.0.1:4011/pay/cs_1');
  expect(outsideUrl('http://studio.lan:4011/pay/cs_1', 'http://studio.lan:3000')).toBe(
    'http://studio.lan:4011/pay/cs_1',
  );
});

test('scripts, plain http elsewhere, credentials and invalid addresses are refused', () => {
  for (const bad of [
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.example/pay',
    'https://a:b@pay.example/',
    7,
    null,
  ])
    expect(outsideUrl(bad, OWN)).toBeNull();
});

test('a site served over https never leaves for plain http', () => {
  expect(outsideUrl('http://studio.example/pay', 'https://studio.example')).toBeNull();
});
