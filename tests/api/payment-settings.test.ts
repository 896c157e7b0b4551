import { expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';

test('payment methods are card and link by default, each listed once', () => {
  expect(readConfig({}).stripe.methods).toEqual(['card', 'link']);
  expect(readConfig({ PAYMENT_METHODS: 'card, au_becs_debit,card' }).stripe.methods).toEqual(['card', 'au_becs_debit']);
});

test.each([
  ['card,cheque', /PAYMENT_METHODS: .*none of card, link, afterpay_clearpay, zip, au_becs_debit/],
  ['au_becs_debit', /PAYMENT_METHODS: needs card/],
])('payment methods %s are refused', (methods, fault) => {
  expect(() => readConfig({ PAYMENT_METHODS: methods })).toThrow(fault);
});
