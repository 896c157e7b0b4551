/** What the operator decides about accounts; filled from the environment. */
export type AuthConfig = {
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly passwordMinLength: number;
  /** Accounts need no code: for trials only. */
  readonly autoconfirm: boolean;
  readonly accessTokenSeconds: number;
  readonly codeSeconds: number;
  /** Between two mails of a kind to one address. */
  readonly mailIntervalSeconds: number;
};

/** Numbers of wire and promises (G23, G28); each is multiplied by RATE_LIMIT_FACTOR in tests. */
export const authLimits = {
  signInIp: { name: 'auth-sign-in-ip', max: 60, seconds: 300 },
  signInAccount: { name: 'auth-sign-in-account', max: 15, seconds: 900 },
  signUpIp: { name: 'auth-sign-up-ip', max: 20, seconds: 3_600 },
  refreshIp: { name: 'auth-refresh-ip', max: 600, seconds: 300 },
  verifyIp: { name: 'auth-verify-ip', max: 60, seconds: 300 },
  mailAddressHour: { name: 'auth-mail-address', max: 5, seconds: 3_600 },
  mailIp: { name: 'auth-mail-ip', max: 30, seconds: 3_600 },
  probeIp: { name: 'auth-probe-ip', max: 30, seconds: 60 },
  password: { name: 'auth-password-user', max: 10, seconds: 900 },
} as const;
