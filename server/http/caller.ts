/** The sender of a request, read from its verified token (token.ts). */
export type Caller = {
  /** The database role: `anon`, `authenticated`, `service_role`, or another role that `createGrantedCaller` has accepted. */
  readonly role: string;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The verified claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The claims as JSON, the value of `request.jwt.claims`. */
  readonly claimsJson: string;
  /** The client address as reported by trusted proxies. An IPv6 address is cut to its /64. */
  readonly ip: string;
};

/** Reads the caller of a request. Throws `TokenRefused`. */
export type ReadCaller = (request: Request, ip: string) => Promise<Caller>;

/** `unknown_role`: the database has no such role. `role_not_granted`: the role exists, but callers have no right to use it. */
export type TokenFault = 'bad_jwt' | 'session_not_found' | 'no_api_key' | 'unknown_role' | 'role_not_granted';

export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly code: TokenFault;
  constructor(code: TokenFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** The variables that the middleware sets for every router. */
export type Env = {
  Variables: {
    requestId: string;
    ip: string;
    log: Log;
    /** The headers that every response of this API has. */
    headers: Readonly<Record<string, string>>;
    /** Whether the caller is a guest. A refusal is 401 for a guest and 403 for all other callers. */
    guest?: boolean;
    /** The route for the log, set if the route's pattern does not name what was called. */
    route?: string;
    /** The response that already has these headers. */
    complete?: Response;
  };
};

export type Log = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
};

/** The current time. Only tests replace it. */
export type Clock = () => Date;
