import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { createIgloohomeVerifier } from '#server/providers/igloohome/webhook-signature.ts';
import { createStripePayments } from '#server/providers/stripe/payments.ts';

test('an event signed with the present or the previous webhook secret is read, and with no other', () => {
  const { readEvent } = createStripePayments({
    secretKey: 'sk_test_1',
    webhookSecrets: ['whsec_new', 'whsec_old'],
    apiUrl: null,
    methods: ['card'],
  });
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'refund.created',
    livemode: false,
    data: { object: { id: 're_1' } },
  });
  const read = (secret: string) =>
    readEvent(payload, new Stripe('sk_test_1').webhooks.generateTestHeaderString({ payload, secret }));
  for (const secret of ['whsec_new', 'whsec_old']) expect(read(secret)).toMatchObject({ id: 'evt_1' });
  expect(() => read('whsec_other')).toThrow('the signature is invalid');
});

test('a webhook of the lock signed with the present or the previous key is accepted, and with no other', async () => {
  const pairs = Array.from({ length: 3 }, () => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const [present, previous, other] = pairs.map(({ publicKey, privateKey }) => ({
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    request: signed(publicKey, privateKey),
  }));
  if (!present || !previous || !other) throw new Error('three pairs were made');
  const verify = createIgloohomeVerifier({
    publicKeys: [present.pem, previous.pem],
    webhookUrl: 'https://a.example/hook',
    observe: () => undefined,
  });
  expect(await verify(present.request, '{}')).toBe(true);
  expect(await verify(previous.request, '{}')).toBe(true);
  expect(await verify(other.request, '{}')).toBe(false);
});

function signed(publicKey: KeyObject, privateKey: KeyObject): Request {
  const date = new Date().toUTCString();
  const digest = createHmac('sha256', publicKey.export({ type: 'pkcs1', format: 'der' }))
    .update(Buffer.from(['POST', 'a.example', '/hook', 'application/json', date, '{}'].join('|'), 'latin1'))
    .digest();
  const signature = createSign('sha256').update(digest).sign(privateKey, 'base64');
  return new Request('https://a.example/hook', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-igloocompany-date': date, 'x-igloocompany-sha256': signature },
    body: '{}',
  });
}
