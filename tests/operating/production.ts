/** Settings that production accepts. The addresses of the providers do not answer. */
export const PRODUCTION: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  SITE_URL: 'https://studio.invalid',
  TRUSTED_PROXIES: '1',
  APP_SECRET: 'a secret of the tests of deployment, long enough',
  STRIPE_SECRET_KEY: 'sk_test_deployment',
  STRIPE_WEBHOOK_SECRET: 'whsec_deployment',
  STRIPE_API_URL: 'http://payments.invalid',
  IGLOOHOME_AUTH_URL: 'http://locks.invalid/oauth2/token',
  IGLOOHOME_API_URL: 'http://locks.invalid',
  IGLOOHOME_CLIENT_ID: 'client',
  IGLOOHOME_CLIENT_SECRET: 'locks',
  IGLOOHOME_LOCKS: 'Studio A=SP1,Studio B=SP2,Studio C=SP3',
  IGLOOHOME_WEBHOOK_KEY: 'https://locks.invalid/key',
  SHELLY_URL: 'http://plug.invalid/rpc',
  SMTP_URL: 'smtp://mail.invalid',
  MAIL_FROM: 'Studio <hello@studio.invalid>',
};
