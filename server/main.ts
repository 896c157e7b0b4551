import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compose, type App } from './compose.ts';
import { type Config, ConfigRefused, readConfig } from './config.ts';
import { DirectoryLocked } from './db/directory-lock.ts';
import { startHttpServer } from './http/http-server.ts';

/** The program: reads the environment, builds the server, listens, runs background work, and stops in order. */

const EXIT_CONFIG = 78;
const EXIT_LOCKED = 75;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    return refuse(error);
  }
}

function refuse(error: ConfigRefused): never {
  for (const fault of error.faults) warn(`configuration: ${fault}`);
  return process.exit(EXIT_CONFIG);
}

async function appOrExit(config: Config): Promise<App> {
  try {
    return await compose(config, { say: (line) => say(`  ${line}`) });
  } catch (error) {
    // Faults that only the database shows, such as a studio without a lock.
    if (error instanceof ConfigRefused) return refuse(error);
    if (!(error instanceof DirectoryLocked)) throw error;
    warn(error.message);
    return process.exit(EXIT_LOCKED);
  }
}

/** Writes what `npm run -s status` prints. The file holds keys, so only its owner may read it. */
async function writeRuntime(config: Config, app: App, port: number): Promise<void> {
  const path = join(config.dataDir, 'runtime.json');
  const runtime = {
    pid: process.pid,
    apiUrl: config.siteUrl.replace(/:0$/, `:${port}`),
    sandboxUrl: config.sandboxUrl ?? '',
    databaseUrl: config.databaseUrl ?? `pglite://${resolve(config.dataDir, 'database')}`,
    anonKey: app.keys.anonKey,
    serviceRoleKey: app.keys.serviceRoleKey,
  };
  await writeFile(`${path}.${process.pid}`, `${JSON.stringify(runtime, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.${process.pid}`, path);
}

async function main(): Promise<void> {
  const config = configOrExit();
  for (const warning of config.warnings) warn(`configuration: ${warning}`);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const app = await appOrExit(config);

  let stopping = false;
  app.scheduler.start();

  const server = startHttpServer(app.http.fetch, { port: config.port, host: config.host }, (port) => {
    void writeRuntime(config, app, port).then(() => {
      say(`ready on ${config.siteUrl}`);
      for (const account of app.demo) say(`  ${account.title}: ${account.email} / ${account.password}`);
    });
  });
  app.attach(server);
  server.on('error', (error: NodeJS.ErrnoException) => {
    warn(error.code === 'EADDRINUSE' ? `Port ${config.port} is in use; set PORT to another one.` : error.message);
    void app.close().finally(() => process.exit(1));
  });

  void app.broken.then((error) => {
    app.log.error({ err: error }, 'the embedded database stopped and could not be reopened');
    process.exit(1);
  });

  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const drained = app.scheduler.stop();
    await new Promise<void>((done) => {
      server.close(() => done());
      // Browsers keep idle connections open. Close them.
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 5_000).unref();
    });
    await drained;
    await app.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  process.on('uncaughtException', (error) => {
    app.log.error({ err: error }, 'uncaught error');
    process.exit(1);
  });
}

await main();
