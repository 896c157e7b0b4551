import { createHash } from 'node:crypto';

/** Where a PostgreSQL is and who logs in: `postgres://user:password@host:port,host:port/database?…`. */
export type PostgresAddress = {
  /** The address with one host only, which `pg` reads. */
  readonly url: string;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** Whether a server that only reads, such as a standby, is passed over. */
  readonly readWrite: boolean;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

const ADDRESS = /^(postgres(?:ql)?:\/\/)(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
/** As in libpq. We always write, so several servers without a choice count as `read-write`. */
const WRITING = new Set(['read-write', 'primary']);
const DEFAULT_PORT = 5432;
/** PostgreSQL cuts longer names. */
const NAME_LENGTH = 63;

/** Reads an address of one or several servers; null when it is none, or names a kind of server that cannot be written to. */
export function readAddress(text: string): PostgresAddress | null {
  const [, scheme = '', userinfo = '', hostList = '', path = '', query = ''] = ADDRESS.exec(text) ?? [];
  if (scheme === '') return null;
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs');
  parameters.delete('target_session_attrs');
  if (wanted !== null && wanted !== 'any' && !WRITING.has(wanted)) return null;
  const hosts = hostList.split(',').map(readHost);
  const [first] = hosts;
  if (!first || hosts.some(({ port }) => !(port >= 1 && port <= 65_535))) return null;
  const [user = '', password = ''] = userinfo.split(/:(.*)/s).map((part) => decode(part) ?? '');
  const rest = parameters.size > 0 ? `?${parameters.toString()}` : '';
  // A socket's folder, as `?host=/run/postgresql`, has no host in the address.
  const host = hostList === '' ? '' : `${first.host.includes(':') ? `[${first.host}]` : first.host}:${first.port}`;
  const url = `${scheme}${userinfo === '' ? '' : `${userinfo}@`}${host}/${path}${rest}`;
  if (!URL.canParse(url.replace('@/', '@localhost/'))) return null;
  return {
    url,
    hosts,
    readWrite: WRITING.has(wanted ?? '') || hosts.length > 1,
    user,
    password,
    database: decode(path) || user,
  };
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

/** The same servers and database with another login. */
export function withLogin(text: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return text.replace(/^(postgres(?:ql)?:\/\/)(?:[^@/]*@)?/, `$1${login}@`);
}

/** The servers of an address for a message, without its password. */
export function describeServers({ hosts, database }: PostgresAddress): string {
  return `${hosts.map(({ host, port }) => `${host || 'the local socket'}:${port}`).join(', ')}, database ${database}`;
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
