import type Stripe from 'stripe';
import { type FormMap, listAt, parseMetadata, onlyKnown, parseText, parseUrl, parseWord } from './core/form.ts';
import { API_VERSION, newId, type StripeState } from './core/ledger.ts';
import { requiredParameter } from './core/refusal.ts';

/** `POST /v1/webhook_endpoints`: adds an address for events, with its own secret. The server's own endpoint always exists. */
export function createEndpoint(state: StripeState, form: FormMap): Stripe.WebhookEndpoint {
  onlyKnown(form, ['url', 'enabled_events.*', 'api_version', 'description', 'metadata.*', 'expand.*']);
  const url = parseUrl(form['url'], 'url');
  if (url === null) throw requiredParameter('url');
  const events = listAt(form['enabled_events']).filter((type) => typeof type === 'string');
  if (events.length === 0) throw requiredParameter('enabled_events');
  parseWord(form['api_version'], 'api_version', [API_VERSION]);
  const id = newId('we');
  const endpoint: Stripe.WebhookEndpoint = {
    id,
    object: 'webhook_endpoint',
    api_version: API_VERSION,
    application: null,
    created: state.stamp(),
    description: parseText(form['description']),
    enabled_events: events,
    livemode: false,
    metadata: parseMetadata(form['metadata']),
    secret: newId('whsec'),
    status: 'enabled',
    url,
  };
  state.ledger.endpoints[id] = endpoint;
  state.changed();
  return endpoint;
}
