import { createHash } from 'node:crypto';

/** Where a PostgreSQL is and who logs in: `postgres://user:password@host:port/database?…`. */
export type PostgresAddress = {
  /** The address with its port, for `pg` and `psql`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
};

const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
/** Values of libpq's `target_session_attrs` that a server which takes writes satisfies. With one host they have no effect. */
const WRITING = new Set(['any', 'read-write', 'primary']);
const DEFAULT_PORT = 5432;
/** PostgreSQL cuts longer names. */
const NAME_LENGTH = 63;

/** Whether the address names several hosts, which libpq would try in turn. */
export function namesSeveralHosts(text: string): boolean {
  const [, , , host = '', , query = ''] = ADDRESS.exec(text) ?? [];
  return host.includes(',') || new URLSearchParams(query).get('host')?.includes(',') === true;
}

/** Reads an address. Returns null if it is malformed, names several hosts, or names a kind of server that cannot be written to. */
export function readAddress(text: string): PostgresAddress | null {
  const [, scheme = '', userinfo = '', server = '', path = '', query = ''] = ADDRESS.exec(text) ?? [];
  if (scheme === '' || namesSeveralHosts(text)) return null;
  const kind = new URLSearchParams(query).get('target_session_attrs');
  if (kind !== null && !WRITING.has(kind)) return null;
  const { host, port } = readHost(server);
  if (!(port >= 1 && port <= 65_535)) return null;
  const [user = ''] = userinfo.split(':').map((part) => decode(part) ?? '');
  // A socket's folder, as `?host=/run/postgresql`, has no host in the address.
  const hostAndPort = server === '' ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = `${scheme}${userinfo === '' ? '' : `${userinfo}@`}${hostAndPort}/${path}${query === '' ? '' : `?${query}`}`;
  if (!URL.canParse(url.replace('@/', '@localhost/'))) return null;
  return { url, host, port, user, database: decode(path) || user };
}

/** Reads an address that the configuration has checked. */
export function toAddress(text: string): PostgresAddress {
  const address = readAddress(text);
  if (!address) throw new Error('DATABASE_URL is not a postgres:// address');
  return address;
}

function readHost(text: string): { host: string; port: number } {
  const [, six, name = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d*))?$/.exec(text) ?? [];
  return {
    host: six ?? name,
    port: port ? Number(port) : text.includes(':') && six === undefined ? NaN : DEFAULT_PORT,
  };
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The same server and database with another login. */
export function withLogin(text: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return text.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?/, `$1${login}@`);
}

/** The server of an address for a message, without its password. */
export function describeServer({ host, port, database }: PostgresAddress): string {
  return `${host || 'the local socket'}:${port}, database ${database}`;
}

/**
 * The name of a login of one database. Roles belong to the whole cluster, so each database has logins of its own: another installation
 * beside it never changes their passwords.
 */
export function loginOf(role: 'backend' | 'authenticator', database: string): string {
  const name = `${role}_${database}`;
  if (Buffer.byteLength(name) <= NAME_LENGTH) return name;
  return `${role}_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`;
}
