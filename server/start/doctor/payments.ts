import type Stripe from 'stripe';
import type { Config } from '#server/config/operating/config.ts';
import { createStripeClient, withProviderErrors } from '#server/providers/stripe/client.ts';
import { WEBHOOK_EVENTS } from '#server/providers/stripe/events.ts';
import { attempt, fail, type Finding, networkOr, ok, warn } from './finding.ts';

type CheckedParts = Pick<Config, 'stripe' | 'siteUrl' | 'sandboxUrl' | 'production'>;

/** Checks whether the keys work, and whether the provider sends its events to this server. */
export function paymentFindings(config: CheckedParts): Promise<Finding[]> {
  const { secretKey, apiUrl } = config.stripe;
  const live = secretKey.includes('_live_');
  const advice = `Copy the secret key again from dashboard.stripe.com/${live ? '' : 'test/'}apikeys.`;
  return attempt('STRIPE_SECRET_KEY does not work', networkOr(advice), async () => {
    const stripe = createStripeClient(secretKey, apiUrl);
    const { data: endpoints } = await withProviderErrors(() => stripe.webhookEndpoints.list({ limit: 100 }));
    const key =
      config.production && !live
        ? warn('STRIPE_SECRET_KEY is a test key: no real money is paid', 'Set the live key when you open.')
        : ok(`STRIPE_SECRET_KEY works (${live ? 'live' : 'test'} mode)`);
    return [key, { area: 'webhook', ...webhookFinding(endpoints, config) }];
  });
}

function webhookFinding(endpoints: readonly Stripe.WebhookEndpoint[], config: CheckedParts): Finding {
  if (config.sandboxUrl !== null) return ok('the sandbox sends its events automatically');
  const url = `${config.siteUrl}/functions/v1/stripe-webhook`;
  const ours = endpoints.filter((endpoint) => endpoint.url === url);
  const enabled = ours.filter(({ status }) => status === 'enabled');
  const where = 'dashboard.stripe.com, Developers, Webhooks';
  if (ours.length === 0)
    return fail(
      `no endpoint for ${url}`,
      `Add it in ${where}, put its signing secret into STRIPE_WEBHOOK_SECRET and restart.`,
    );
  if (enabled.length === 0) return fail(`the endpoint ${url} is disabled`, `Enable it in ${where}.`);
  const events = enabled.flatMap((endpoint) => endpoint.enabled_events);
  const missing = events.includes('*') ? [] : WEBHOOK_EVENTS.filter((event) => !events.includes(event));
  if (missing.length > 0)
    return fail(`the endpoint does not send ${missing.join(', ')}`, `Enable these events in ${where}.`);
  return ok(`${url} gets all ${WEBHOOK_EVENTS.length} events`);
}

/** Checks whether hosted ID checks work. */
export async function hostedCheckFindings({ stripe }: Pick<Config, 'stripe'>): Promise<Finding[]> {
  if (!stripe.hostedChecks) return [];
  const advice =
    'It needs the right to read and write Identity, and to read sensitive results (docs.stripe.com/identity/access-verification-results).';
  return attempt('STRIPE_RESTRICTED_KEY does not work', networkOr(advice), async () => {
    const client = createStripeClient(stripe.restrictedKey, stripe.apiUrl);
    await withProviderErrors(() => client.identity.verificationSessions.list({ limit: 1 }));
    return [ok('STRIPE_RESTRICTED_KEY reads hosted ID checks')];
  });
}
