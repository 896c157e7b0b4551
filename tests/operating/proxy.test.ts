import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePorts, startTestServer, type TestServer, until } from '#tests/support/test-server.ts';
import { installDebian, isThere, mayInstall } from './debian.ts';

/**
 * Tests the files of deploy/ in front of a real server, with Debian's proxies. Runs only in `npm run test:long`, as root, which installs
 * them.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
const LARGEST = 52_428_800;
const PIECE = 6 * 1024 * 1024;
const GUEST_PER_MINUTE = 30;

type Ports = { readonly server: number; readonly http: number; readonly https: number };
type Proxy = {
  readonly name: string;
  /** Writes the configuration of deploy/ with these ports and the certificate in `folder`. Returns the command that starts the proxy. */
  readonly prepare: (folder: string, ports: Ports) => readonly string[];
  /** Converts the arguments that start the proxy to arguments that only check its configuration. */
  readonly check: (args: readonly string[]) => readonly string[];
};

const nginx: Proxy = {
  name: 'nginx',
  prepare(folder, ports) {
    const site = readFileSync(join(ROOT, 'deploy', 'nginx.conf'), 'utf8')
      .replace('listen 80;', `listen ${ports.http};`)
      .replace('listen 443 ssl', `listen ${ports.https} ssl`)
      // A test machine might lack IPv6 addresses.
      .replace(/\tlisten \[::\].*\n/g, '')
      .replaceAll('studio.example.com', 'localhost')
      .replaceAll('/var/log/nginx', folder)
      .replace(/\/etc\/letsencrypt\/live\/localhost\/(\w+)\.pem/g, `${folder}/$1.pem`)
      .replace('127.0.0.1:3000', `127.0.0.1:${ports.server}`);
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; user root; events {} http { access_log off; ${own.join(' ')}\n${site}\n}`,
    );
    return ['nginx', '-e', `${folder}/error.log`, '-c', join(folder, 'nginx.conf')];
  },
  check: (args) => ['-t', ...args],
};
const caddy: Proxy = {
  name: 'caddy',
  prepare(folder, ports) {
    const site = readFileSync(join(ROOT, 'deploy', 'Caddyfile'), 'utf8')
      .replace('{$SITE_ADDRESS}', `https://localhost:${ports.https}`)
      .replace('{$SERVERS:127.0.0.1:3000}', `127.0.0.1:${ports.server}`)
      // Uses the test's certificate instead of one from the internet.
      .replace('reverse_proxy', `tls ${folder}/fullchain.pem ${folder}/privkey.pem\n\treverse_proxy`);
    writeFileSync(
      join(folder, 'Caddyfile'),
      site.replace(/^\{$/m, `{\n\tadmin off\n\thttp_port ${ports.http}\n\tskip_install_trust`),
    );
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
  check: (args) => ['validate', ...args.slice(1)],
};

const proxies = [nginx, caddy];
const runs = process.env['TEST_LONG'] === '1' && (mayInstall || proxies.every(({ name }) => isThere(name)));

/** Creates a certificate for localhost, valid for 30 days, in `folder`. */
function makeCertificate(folder: string): void {
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost';
  const options = `req -x509 -newkey rsa:2048 -nodes -days 30 ${subject} -keyout privkey.pem -out fullchain.pem`;
  expect(spawnSync('openssl', options.split(' '), { cwd: folder }).status).toBe(0);
}

test.each(proxies.filter(({ name }) => isThere(name)))('$name accepts the file in deploy/', (proxy) => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  makeCertificate(folder);
  const [command = '', ...args] = proxy.prepare(folder, { server: 3000, http: 8080, https: 8443 });
  const env = { ...process.env, HOME: folder };
  const { status, stderr } = spawnSync(command, proxy.check(args), { encoding: 'utf8', env });
  expect(status, stderr).toBe(0);
  rmSync(folder, { recursive: true });
});

describe.runIf(runs).each(proxies)('behind $name with the file in deploy/', (proxy) => {
  let folder: string;
  let server: TestServer;
  let running: ChildProcess;
  let port: number;
  let plainPort: number;
  let certificate: string;

  beforeAll(async () => {
    installDebian(proxy.name);
    folder = mkdtempSync(join(tmpdir(), 'proxy-'));
    makeCertificate(folder);
    certificate = readFileSync(join(folder, 'fullchain.pem'), 'utf8');
    const free = await freePorts();
    [port, plainPort] = [free, free + 1];
    const limits = { RATE_LIMIT_FACTOR: '1', REST_GUEST_PER_MINUTE: String(GUEST_PER_MINUTE) };
    const env = { SITE_URL: `https://localhost:${port}`, TRUSTED_PROXIES: '1', ...limits };
    server = await startTestServer({ env });
    const ports = { server: Number(new URL(server.url).port), http: plainPort, https: port };
    const [command = '', ...args] = proxy.prepare(folder, ports);
    running = spawn(command, args, { stdio: 'ignore', env: { ...process.env, HOME: folder } });
    await until(
      () =>
        send('/readyz').then(
          ({ status: ready }) => ready === 200,
          () => false,
        ),
      20_000,
    );
  }, 120_000);
  afterAll(async () => {
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
    await server.close();
    rmSync(folder, { recursive: true });
  });

  type Answer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer };
  type Sent = { method?: string; headers?: Record<string, string>; body?: Buffer | string; localAddress?: string };
  async function send(path: string, { body, ...options }: Sent = {}): Promise<Answer> {
    const sending = secureRequest({ host: 'localhost', family: 4, port, path, ca: certificate, ...options });
    // The proxy may answer before the whole body is sent, which then fails.
    sending.on('error', () => undefined);
    sending.end(body);
    const [answer] = await once(sending, 'response');
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
  }
  const asServer = (): Record<string, string> => ({
    apikey: server.app.keys.serviceRoleKey,
    authorization: `Bearer ${server.app.keys.serviceRoleKey}`,
  });

  test('pages and data are served with TLS, and plain requests are sent there', async () => {
    const page = await send('/booking');
    expect([page.status, page.body.includes('</html>')]).toEqual([200, true]);
    const rooms = await send('/rest/v1/studios?select=name', { headers: { apikey: server.app.keys.anonKey } });
    expect(JSON.parse(rooms.body.toString())).toHaveLength(3);
    const [plain] = await once(get(`http://localhost:${plainPort}/booking`), 'response');
    plain.resume();
    expect([301, 308]).toContain(plain.statusCode);
    expect(plain.headers.location).toMatch(/^https:\/\/localhost.*\/booking$/);
  });

  test('sockets of live pages are passed on', async () => {
    const address = `wss://localhost:${port}/realtime/v1/websocket?vsn=1.0.0&apikey=${server.app.keys.anonKey}`;
    const socket = new WebSocket(address, { ca: certificate });
    await once(socket, 'open');
    socket.send(JSON.stringify({ topic: 'realtime:room', event: 'phx_join', payload: { config: {} }, ref: '1' }));
    const [reply] = await once(socket, 'message');
    expect(JSON.parse(String(reply))).toMatchObject({ event: 'phx_reply', payload: { status: 'ok' } });
    socket.close();
  });

  test('the largest file passes, a larger one is refused by the server, and a resumable upload goes on where it stopped', async () => {
    const service = server.client(server.app.keys.serviceRoleKey);
    await service.storage.createBucket('large', { public: true });
    const bytes = randomBytes(LARGEST);
    const upload = (name: string, body: Buffer): Promise<Answer> =>
      send(`/storage/v1/object/large/${name}`, {
        method: 'POST',
        headers: { ...asServer(), 'content-type': 'application/octet-stream', 'content-length': String(body.length) },
        body,
      });
    expect((await upload('whole', bytes)).status).toBe(200);
    expect((await send('/storage/v1/object/public/large/whole')).body.equals(bytes)).toBe(true);
    const refused = await upload('more', Buffer.concat([bytes, Buffer.from('.')]));
    expect([refused.headers['content-type'], JSON.parse(refused.body.toString())]).toMatchObject([
      expect.stringContaining('application/json'),
      { statusCode: '413' },
    ]);

    const tus = { ...asServer(), 'tus-resumable': '1.0.0' };
    const named = ['bucketName large', 'objectName pieces', 'contentType application/octet-stream']
      .map((pair) => pair.split(' '))
      .map(([name, value = '']) => `${name} ${Buffer.from(value).toString('base64')}`);
    const created = await send('/storage/v1/upload/resumable', {
      method: 'POST',
      headers: { ...tus, 'upload-length': String(2 * PIECE), 'upload-metadata': named.join(',') },
    });
    expect(created.status).toBe(201);
    const { pathname } = new URL(String(created.headers['location']), `https://localhost:${port}`);
    for (const offset of [0, PIECE]) {
      const head = await send(pathname, { method: 'HEAD', headers: tus });
      expect(head.headers['upload-offset']).toBe(String(offset));
      const piece = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
      const body = bytes.subarray(offset, offset + PIECE);
      expect((await send(pathname, { method: 'PATCH', headers: piece, body })).status).toBe(204);
    }
    const whole = await send('/storage/v1/object/public/large/pieces');
    expect(whole.body.equals(bytes.subarray(0, 2 * PIECE))).toBe(true);
  }, 120_000);

  test('the server sees the address of the visitor, not of the proxy, and not one that a visitor claims', async () => {
    const [demo] = server.app.demo;
    const signIn = await send('/auth/v1/token?grant_type=password', {
      method: 'POST',
      localAddress: '127.0.0.2',
      headers: {
        apikey: server.app.keys.anonKey,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.7',
      },
      body: JSON.stringify({ email: demo?.email, password: demo?.password }),
    });
    expect(signIn.status).toBe(200);
    const { rows } = await server.app.db.query('select ip from auth.sessions order by created_at desc limit 1');
    expect(rows).toEqual([{ ip: '127.0.0.2' }]);
    expect((await send('/metrics')).status).toBe(401);
  });

  test('limits count for each visitor, whatever addresses it claims, and leave the others alone', async () => {
    const read = async (localAddress: string, claimed: string): Promise<number> => {
      const headers = { apikey: server.app.keys.anonKey, 'x-forwarded-for': claimed };
      return (await send('/rest/v1/studios?select=name', { localAddress, headers })).status;
    };
    const many: number[] = [];
    // Sends twice the limit, because a minute may end in between.
    for (let n = 0; n <= 2 * GUEST_PER_MINUTE; n += 1) many.push(await read('127.0.0.3', `203.0.113.${n}`));
    expect(many).toContain(429);
    expect(await read('127.0.0.4', '127.0.0.3')).toBe(200);
  });

  test.runIf(proxy.name === 'nginx')(
    'the log has the path of a request, without its query and the page that led there',
    async () => {
      await send('/regenerate-pin?token=secret-a', { headers: { referer: 'https://localhost/door?token=secret-b' } });
      const logs = (): string =>
        readdirSync(folder)
          .filter((name) => name.endsWith('.log'))
          .map((name) => readFileSync(join(folder, name), 'utf8'))
          .join('\n');
      await expect.poll(logs).toContain('"GET /regenerate-pin" 200');
      expect(logs()).not.toContain('secret-');
    },
  );

  test('npm run doctor finds the certificate and the sockets in order', async () => {
    const { port: sandboxPort } = new URL(server.sandboxUrl);
    const doctor = spawn(process.execPath, ['server/main.ts', 'doctor', '--json'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        NODE_EXTRA_CA_CERTS: join(folder, 'fullchain.pem'),
        SITE_URL: `https://localhost:${port}`,
        SANDBOX_PORT: sandboxPort,
        DATA_DIR: server.dataDir,
      },
    });
    const { findings } = JSON.parse(await text(doctor.stdout)) as {
      findings: { area: string; state: string; text: string }[];
    };
    expect(findings.filter(({ area }) => area === 'site')).toMatchObject([
      { state: 'ok' },
      { state: 'ok', text: expect.stringMatching(/certificate of localhost is valid for (29|30) more days/) },
    ]);
  });
});
