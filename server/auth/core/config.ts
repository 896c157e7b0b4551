/** This site, as authenticators know it (WebAuthn, section 5.4.2). */
export type RelyingParty = { readonly id: string; readonly name: string; readonly origins: readonly string[] };

/** The operator's account settings, from the environment. */
export type AuthConfig = {
  /** Mailed links lead here, or to an allowed page in `redirects`, whatever the request says. */
  readonly siteUrl: string;
  readonly apiUrl: string;
  readonly passwordMinLength: number;
  /** Whether common and breached passwords are refused. */
  readonly breachedCheck: boolean;
  readonly passwordRequired:
    | 'none'
    | 'letters_digits'
    | 'lower_upper_letters_digits'
    | 'lower_upper_letters_digits_symbols';
  /** Accounts are confirmed without a code: for trials only. */
  readonly autoconfirm: boolean;
  readonly phoneAutoconfirm: boolean;
  /** Whether people can create accounts. */
  readonly signupEnabled: boolean;
  readonly phoneEnabled: boolean;
  readonly anonymousEnabled: boolean;
  /** Whether people may add and remove sign-in methods of their own account. */
  readonly manualLinking: boolean;
  /** A new address must be confirmed from the old one as well. */
  readonly doubleConfirm: boolean;
  readonly accessTokenSeconds: number;
  /** Digits of a code. */
  readonly codeLength: number;
  /** Lifetime of a code and its link. */
  readonly codeSeconds: number;
  /** Least time between two messages of one kind to one email or phone. */
  readonly mailIntervalSeconds: number;
  /** How long after its rotation a refresh token is still accepted, for a slow concurrent request of the same client. */
  readonly reuseSeconds: number;
  /** A session ends this long after its start; null: never. */
  readonly sessionSeconds: number | null;
  /** A session ends this long after its last refresh; null: never. */
  readonly inactivitySeconds: number | null;
  /** A new session ends the older ones. */
  readonly singleSession: boolean;
  /** Phone digits → fixed code. These phones get no message. */
  readonly testCodes: ReadonlyMap<string, string>;
  /** Second factors: which kinds, how many per account, and how long a challenge is valid. */
  readonly factors: {
    readonly totp: boolean;
    readonly phone: boolean;
    readonly webauthn: boolean;
    readonly max: number;
    readonly challengeSeconds: number;
  };
  readonly passkeys: { readonly enabled: boolean; readonly max: number };
  readonly relyingParty: RelyingParty;
  /** Pages besides the site's own that a redirect may lead to. */
  readonly redirects: readonly string[];
  /** Chains whose wallets may sign in. */
  readonly chains: readonly ('ethereum' | 'solana')[];
};

/** How long sessions last; null: without an end. */
export type Lifetimes = Pick<AuthConfig, 'sessionSeconds' | 'inactivitySeconds'>;
