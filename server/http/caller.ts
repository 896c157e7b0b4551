/** Who is calling, as every door knows it once the token has been verified. Built by token.ts. */
export type Caller = {
  readonly role: 'anon' | 'authenticated' | 'service_role';
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The verified claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The same as JSON, ready to become `request.jwt.claims`. */
  readonly claimsJson: string;
  /** The address the request came from, after trusted proxies; an IPv6 address is cut to its /64. */
  readonly ip: string;
};

/** Turns a request into its caller. Throws `TokenRefused`. A missing bearer, or one equal to the anonymous key, is the guest. */
export type ReadCaller = (request: Request, ip: string) => Promise<Caller>;

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly code: 'bad_jwt' | 'expired' | 'session_not_found' | 'no_api_key';
  constructor(code: 'bad_jwt' | 'expired' | 'session_not_found' | 'no_api_key', message: string) {
    super(message);
    this.code = code;
  }
}

/** What Hono carries from the front hall to a door. */
export type Env = { Variables: { requestId: string; ip: string; log: Log } };

export type Log = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
};

/** The server's clock; only tests hand in another. */
export type Clock = () => Date;
