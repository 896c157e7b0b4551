import type { RelyingParty } from '../passkeys/relying-party.ts';

/** What the operator decides about accounts; filled from the environment. */
export type AuthConfig = {
  /** Where mailed links lead; never anywhere else, whatever a request asks for (decisions T-13). */
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly passwordMinLength: number;
  /** Whether passwords that are guessed first, or stand in a list of breaches, are refused. */
  readonly breachedCheck: boolean;
  readonly passwordRequired:
    | 'none'
    | 'letters_digits'
    | 'lower_upper_letters_digits'
    | 'lower_upper_letters_digits_symbols';
  /** Accounts need no code: for trials only. */
  readonly autoconfirm: boolean;
  readonly phoneAutoconfirm: boolean;
  /** Whether new accounts can be made. */
  readonly signupEnabled: boolean;
  readonly phoneEnabled: boolean;
  readonly anonymousEnabled: boolean;
  /** Whether people may add and remove ways to sign in by themselves. */
  readonly manualLinking: boolean;
  /** A new address is confirmed from the old one as well. */
  readonly doubleConfirm: boolean;
  readonly accessTokenSeconds: number;
  /** Digits of a code. */
  readonly codeLength: number;
  /** Life of a code and its link. */
  readonly codeSeconds: number;
  /** Between two messages of one kind to one address or phone. */
  readonly mailIntervalSeconds: number;
  /** How long after it was traded a refresh token still counts as a slow twin of the honest request. */
  readonly reuseSeconds: number;
  /** A session ends this long after its start; null: never. */
  readonly sessionSeconds: number | null;
  /** A session ends this long after its last refresh; null: never. */
  readonly inactivitySeconds: number | null;
  /** A new session ends the older ones. */
  readonly singleSession: boolean;
  /** Phone in digits → the code it always gets, without a message. */
  readonly testCodes: ReadonlyMap<string, string>;
  /** Second factors: which kinds, how many to a person, and how long a challenge can be answered. */
  readonly factors: {
    readonly totp: boolean;
    readonly phone: boolean;
    readonly webauthn: boolean;
    readonly max: number;
    readonly challengeSeconds: number;
  };
  readonly passkeys: { readonly enabled: boolean; readonly max: number };
  readonly relyingParty: RelyingParty;
  /** Addresses besides the site's that people may be led to after a sign-in. */
  readonly redirects: readonly string[];
  /** Chains whose wallets may sign in. */
  readonly chains: readonly ('ethereum' | 'solana')[];
};

/** Numbers of promises G23–G28; each is multiplied by RATE_LIMIT_FACTOR in tests. */
export const authLimits = {
  /** Sign-ins by password from one address, right and wrong. */
  signInIp: { name: 'auth-sign-in-ip', max: 20, seconds: 300 },
  /** Wrong passwords for one account. */
  signInAccount: { name: 'auth-sign-in-account', max: 10, seconds: 900 },
  signUpIp: { name: 'auth-sign-up-ip', max: 20, seconds: 3_600 },
  anonymousIp: { name: 'auth-anonymous-ip', max: 30, seconds: 3_600 },
  refreshIp: { name: 'auth-refresh-ip', max: 600, seconds: 300 },
  verifyIp: { name: 'auth-verify-ip', max: 60, seconds: 300 },
  mailAddressHour: { name: 'auth-mail-address', max: 5, seconds: 3_600 },
  mailIp: { name: 'auth-mail-ip', max: 30, seconds: 3_600 },
  /** The question whether an address is taken (decisions T-11). */
  probeIp: { name: 'auth-probe-ip', max: 30, seconds: 60 },
  /** Current passwords and codes asked for before a change. */
  password: { name: 'auth-password-user', max: 10, seconds: 900 },
  /** Wrong answers for one factor, over all its challenges. */
  factorTries: { name: 'auth-factor-tries', max: 10, seconds: 900 },
  factorChallenge: { name: 'auth-factor-challenge', max: 30, seconds: 900 },
  /** Messages with a code of a factor to one phone. */
  factorMessage: { name: 'auth-factor-message', max: 1, seconds: 60 },
  /** Sign-ins begun at other parties. */
  flowIp: { name: 'auth-flow-ip', max: 120, seconds: 300 },
  passkeyIp: { name: 'auth-passkey-ip', max: 120, seconds: 300 },
} as const;
