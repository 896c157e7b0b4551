/** This site as the relying party of authenticators (WebAuthn, section 5.4.2). */
export type RelyingParty = { readonly id: string; readonly name: string; readonly origins: readonly string[] };

/** The operator's account settings, from the environment. */
export type AuthConfig = {
  /** Mailed links lead here or to a page allowed by `redirects`; a request cannot choose any other page. */
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
  /** Whether accounts are confirmed without a code, which is for trials only. */
  readonly autoconfirm: boolean;
  readonly phoneAutoconfirm: boolean;
  /** Whether people can create accounts. */
  readonly signupEnabled: boolean;
  readonly phoneEnabled: boolean;
  readonly anonymousEnabled: boolean;
  /** Whether users may add and remove sign-in methods of their own account. */
  readonly manualLinking: boolean;
  /** Whether a new address must be confirmed from the old one as well. */
  readonly doubleConfirm: boolean;
  readonly accessTokenSeconds: number;
  /** Number of digits of a code. */
  readonly codeLength: number;
  /** Lifetime of a code and its link, in seconds. */
  readonly codeSeconds: number;
  /** Minimum interval between two messages of the same kind to one email or phone, in seconds. */
  readonly mailIntervalSeconds: number;
  /** Seconds for which a rotated refresh token is still accepted, for a slow concurrent request of the same client. */
  readonly reuseSeconds: number;
  /** Seconds from the start of a session to its end; null if it never ends. */
  readonly sessionSeconds: number | null;
  /** Seconds from the last refresh of a session to its end; null if inactivity never ends it. */
  readonly inactivitySeconds: number | null;
  /** Whether a new session ends the older ones of the account. */
  readonly singleSession: boolean;
  /** Fixed codes by phone digits. These phones get no messages. */
  readonly testCodes: ReadonlyMap<string, string>;
  /** Second factors: the enabled kinds, the maximum number per account, and the validity of a challenge in seconds. */
  readonly factors: {
    readonly totp: boolean;
    readonly phone: boolean;
    readonly webauthn: boolean;
    readonly max: number;
    readonly challengeSeconds: number;
  };
  readonly passkeys: { readonly enabled: boolean; readonly max: number };
  readonly relyingParty: RelyingParty;
  /** Patterns of pages of other sites that a redirect may lead to. */
  readonly redirects: readonly string[];
  /** Chains whose wallets may sign in. */
  readonly chains: readonly ('ethereum' | 'solana')[];
};

/** The lifetimes of sessions. */
export type Lifetimes = Pick<AuthConfig, 'sessionSeconds' | 'inactivitySeconds'>;
