import { createHash } from 'node:crypto';

/** The server, database and login of a PostgreSQL address: `postgres://user:password@host:port/database?…`. */
export type PostgresAddress = {
  /** The address with its port, for `pg` and `psql`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
};

const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
/** Values of libpq's `target_session_attrs` that a writable server satisfies. With a single host they have no effect. */
const WRITING = new Set(['any', 'read-write', 'primary']);
const DEFAULT_PORT = 5432;
/** PostgreSQL truncates longer names. */
const NAME_LENGTH = 63;

/** Whether the address names several hosts, which libpq would try in turn. */
export function namesSeveralHosts(text: string): boolean {
  const [, , , host = '', , query = ''] = ADDRESS.exec(text) ?? [];
  return host.includes(',') || new URLSearchParams(query).get('host')?.includes(',') === true;
}

/** Parses an address. Returns null if it is malformed, names several hosts, or names a kind of server that cannot be written to. */
export function readAddress(text: string): PostgresAddress | null {
  const [, scheme = '', userinfo = '', server = '', path = '', query = ''] = ADDRESS.exec(text) ?? [];
  if (scheme === '' || namesSeveralHosts(text)) return null;
  const kind = new URLSearchParams(query).get('target_session_attrs');
  if (kind !== null && !WRITING.has(kind)) return null;
  const { host, port } = readHost(server);
  if (!(port >= 1 && port <= 65_535)) return null;
  const [user = ''] = userinfo.split(':').map((part) => decode(part) ?? '');
  // An address whose socket folder is given as `?host=/run/postgresql` has no host before the query.
  const hostAndPort = server === '' ? '' : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = `${scheme}${userinfo === '' ? '' : `${userinfo}@`}${hostAndPort}/${path}${query === '' ? '' : `?${query}`}`;
  if (!URL.canParse(url.replace('@/', '@localhost/'))) return null;
  return { url, host, port, user, database: decode(path) || user };
}

/** Parses an address that the configuration has validated. */
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

/** Returns the address of the same server and database with another login. */
export function withLogin(text: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return text.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?/, `$1${login}@`);
}

/** Describes the server of an address for a message, without its password. */
export function describeServer({ host, port, database }: PostgresAddress): string {
  return `${host || 'the local socket'}:${port}, database ${database}`;
}

/**
 * Returns the name of a login of one database. Roles belong to the whole cluster, so each database has its own logins: another installation
 * in the cluster never changes their passwords.
 */
export function getLoginName(role: 'backend' | 'authenticator', database: string): string {
  const name = `${role}_${database}`;
  if (Buffer.byteLength(name) <= NAME_LENGTH) return name;
  return `${role}_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`;
}
