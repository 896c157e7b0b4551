import { z } from 'zod';
import { address, flag, list, type SandboxAddress, text } from './fields.ts';

/** The supported payment methods. Money from au_becs_debit arrives after days. Phone wallets are part of card. */
const PAYMENT_METHODS = ['card', 'link', 'afterpay_clearpay', 'zip', 'au_becs_debit'] as const;

/** The environment variables for payments, spread into the schema in config.ts. */
export const paymentFields = {
  STRIPE_SECRET_KEY: text.optional(),
  STRIPE_RESTRICTED_KEY: text.optional(),
  HOSTED_ID_CHECKS: flag.optional(),
  STRIPE_WEBHOOK_SECRET: text.optional(),
  STRIPE_WEBHOOK_SECRET_PREVIOUS: text.optional(),
  STRIPE_API_URL: address.optional(),
  PAYMENT_METHODS: list
    .pipe(z.array(z.enum(PAYMENT_METHODS, { error: `has a method that is none of ${PAYMENT_METHODS.join(', ')}` })))
    .refine((methods) => methods.includes('card'), 'needs card: sessions that start soon cannot wait for the others')
    .default(['card', 'link']),
  ALLOW_LIVE_PAYMENTS_ON_EMBEDDED: flag.default(false),
};
type PaymentEnvironment = z.output<z.ZodObject<typeof paymentFields>>;

/** Settings of the payment provider. */
export type PaymentConfig = {
  readonly secretKey: string;
  readonly restrictedKey: string;
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string | null;
  /** Whether customers can show their ID on Stripe's own page. */
  readonly hostedChecks: boolean;
  /** The payment methods that customers can choose from. */
  readonly methods: readonly string[];
};

/** Reads the settings of the payment provider. `sandboxAt` is null without a sandbox. */
export function readPaymentConfig(env: PaymentEnvironment, sandboxAt: SandboxAddress | null): PaymentConfig {
  return {
    secretKey: env.STRIPE_SECRET_KEY ?? 'sk_test_sandbox',
    restrictedKey: env.STRIPE_RESTRICTED_KEY ?? env.STRIPE_SECRET_KEY ?? 'rk_test_sandbox',
    webhookSecrets: [
      env.STRIPE_WEBHOOK_SECRET ?? 'whsec_sandbox',
      ...(env.STRIPE_WEBHOOK_SECRET_PREVIOUS === undefined ? [] : [env.STRIPE_WEBHOOK_SECRET_PREVIOUS]),
    ],
    apiUrl: env.STRIPE_API_URL ?? sandboxAt?.(1) ?? null,
    // Only a restricted key returns birth dates, which a check needs.
    hostedChecks: env.HOSTED_ID_CHECKS ?? (sandboxAt !== null || env.STRIPE_RESTRICTED_KEY !== undefined),
    methods: [...new Set(env.PAYMENT_METHODS)],
  };
}
