import type { HostedCheckContext } from '../identity/settle-hosted-check.ts';
import type { PaymentContext } from '../payments/context.ts';

/** What the events of the payment provider change: payments and hosted ID checks. */
export type EventContext = PaymentContext & { readonly hostedChecks: HostedCheckContext };
