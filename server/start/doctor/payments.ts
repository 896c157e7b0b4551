import type Stripe from 'stripe';
import type { CheckedConfig } from './checked-config.ts';
import { createStripeClient, withProviderErrors } from '#server/providers/stripe/client.ts';
import { WEBHOOK_EVENTS } from '#server/providers/stripe/events.ts';
import { adviceFor, type Finding, findingsOf, reasonOf } from './finding.ts';

type CheckedParts = Pick<CheckedConfig, 'stripe' | 'siteUrl' | 'sandboxUrl' | 'production'>;

/** Whether the keys work, and whether the provider sends its events to us. */
export async function paymentFindings(config: CheckedParts): Promise<Finding[]> {
  const { ok, warn, fail } = findingsOf('payments');
  const { secretKey, apiUrl } = config.stripe;
  const live = secretKey.includes('_live_');
  let endpoints: readonly Stripe.WebhookEndpoint[];
  try {
    const stripe = createStripeClient(secretKey, apiUrl);
    endpoints = (await withProviderErrors(() => stripe.webhookEndpoints.list({ limit: 100 }))).data;
  } catch (error) {
    return [fail(`STRIPE_SECRET_KEY does not work: ${reasonOf(error)}`, adviceFor(error, keyAdvice('secret', live)))];
  }
  const mode = live ? 'live' : 'test';
  const key =
    config.production && !live
      ? warn('STRIPE_SECRET_KEY is a test key: no real money is paid', 'Set the live key when you open.')
      : ok(`STRIPE_SECRET_KEY works (${mode} mode)`);
  return [key, ...webhookFindings(endpoints, config)];
}

function keyAdvice(name: string, live: boolean): string {
  return `Copy the ${name} key again from dashboard.stripe.com/${live ? '' : 'test/'}apikeys.`;
}

function webhookFindings(endpoints: readonly Stripe.WebhookEndpoint[], config: CheckedParts): Finding[] {
  const { ok, fail } = findingsOf('webhook');
  if (config.sandboxUrl !== null) return [ok('the sandbox sends its events by itself')];
  const url = `${config.siteUrl}/functions/v1/stripe-webhook`;
  const ours = endpoints.filter((one) => one.url === url);
  const enabled = ours.filter(({ status }) => status === 'enabled');
  const where = 'dashboard.stripe.com, Developers, Webhooks';
  if (ours.length === 0)
    return [
      fail(
        `no endpoint for ${url}`,
        `Add it in ${where}, put its signing secret into STRIPE_WEBHOOK_SECRET and restart.`,
      ),
    ];
  if (enabled.length === 0) return [fail(`the endpoint ${url} is disabled`, `Enable it in ${where}.`)];
  const events = enabled.flatMap((one) => one.enabled_events);
  const missing = events.includes('*') ? [] : WEBHOOK_EVENTS.filter((event) => !events.includes(event));
  if (missing.length > 0)
    return [fail(`the endpoint does not send ${missing.join(', ')}`, `Enable these events in ${where}.`)];
  return [ok(`${url} gets all ${WEBHOOK_EVENTS.length} events`)];
}

/** Whether hosted ID checks and the reader of licence photos work. */
export async function hostedCheckFindings({ stripe }: Pick<CheckedConfig, 'stripe'>): Promise<Finding[]> {
  const { ok, fail } = findingsOf('id checks');
  if (!stripe.hostedChecks) return [];
  try {
    const client = createStripeClient(stripe.restrictedKey, stripe.apiUrl);
    await withProviderErrors(() => client.identity.verificationSessions.list({ limit: 1 }));
    return [ok('STRIPE_RESTRICTED_KEY reads hosted ID checks')];
  } catch (error) {
    return [
      fail(
        `STRIPE_RESTRICTED_KEY does not work: ${reasonOf(error)}`,
        adviceFor(
          error,
          'It needs the right to read and write Identity, and to read sensitive results (docs.stripe.com/identity/access-verification-results).',
        ),
      ),
    ];
  }
}
