import cluster from 'node:cluster';
import { once } from 'node:events';
import type { App } from './compose.ts';
import { type Config, readConfig } from './config.ts';
import { startHttpServer } from './http/connections/http-server.ts';
import { describeFailure, describePortFault, expectedFailure } from './start/exit.ts';
import { requireOpenFiles } from './start/doctor/open-files.ts';
import { requireWritable } from './start/data-dir/require-writable.ts';
import { describeRuntime, removeRuntime, writeRuntime } from './start/data-dir/runtime-file.ts';

/**
 * The program. Without a command it reads the environment, builds the server, listens, runs background work, and shuts down in order. With
 * a command such as `import-users FILE` it performs one task on the configured database instead.
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

/** Time limit of a shutdown. Requests and jobs end within it. */
const STOP_SECONDS = 15;

type Command = (config: Config, args: readonly string[]) => Promise<number>;
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'import-users',
    async (config, [file]) => (await import('./start/import-users.ts')).runImportUsers(config, file, print),
  ],
  ['demo', async (config) => (await import('./start/demo-data/run.ts')).runDemo(config, print)],
  ['backup', async (config, [file]) => (await import('./start/backup/run.ts')).runBackup(config, file, print)],
  ['restore', async (config, [file]) => (await import('./start/backup/run.ts')).runRestoreFile(config, file, print)],
  [
    'verify-backup',
    async (config, [file]) =>
      (await import('./start/backup/verify-backup.ts')).runVerifyBackup(config, file, openCopy, print),
  ],
  [
    'upgrade-check',
    async (config, [file]) => (await import('./start/doctor/upgrade-check.ts')).runUpgradeCheck(config, file, print),
  ],
  [
    'move-to-postgres',
    async (config) => (await import('./start/backup/move-to-postgres.ts')).runMoveToPostgres(config, print),
  ],
  ['accept-keys', async (config) => (await import('./start/keys/accept-keys.ts')).runAcceptKeys(config, print)],
  ['client-keys', async (config) => (await import('./start/keys/client-keys.ts')).runClientKeys(config, print)],
  ['remove-demo', async (config) => (await import('./start/remove-demo.ts')).runRemoveDemo(config, print)],
]);

async function main([name, ...args]: readonly string[]): Promise<void> {
  const read = (): Config => readConfig(process.env);
  // The doctor itself reports faults of the settings.
  if (name === 'doctor') {
    const { runDoctor } = await import('./start/doctor/run.ts');
    return process.exit(await runDoctor(read, args, print));
  }
  // Without enough open files, not even the modules of the server can be loaded.
  await orExit(() => requireOpenFiles());
  const config = await orExit(read);
  if (name === undefined) return serve(config);
  if (name === 'after-sandbox') return serve(config, cluster.isWorker ? undefined : waitForSandbox());
  const command = COMMANDS.get(name);
  if (!command)
    return exit(1, [`There is no command ${name}; the commands are ${[...COMMANDS.keys(), 'doctor'].join(', ')}.`]);
  try {
    process.exitCode = await orExit(() => command(config, args));
  } catch (error) {
    exit(1, [describeFailure(error)]);
  }
}

/** Runs `step`. Ends the program if it fails for a reason that the operator can fix. */
async function orExit<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const failure = expectedFailure(error);
    if (failure === null) throw error;
    return exit(failure.code, failure.lines);
  }
}

function exit(code: number, lines: readonly string[]): never {
  for (const line of lines) warn(line);
  process.exit(code);
}

/** Resolves when `npm start` reports that the sandbox is listening. Nothing is migrated before that. */
const waitForSandbox = (): Promise<unknown> => once(process, 'message');

async function serve(config: Config, mayBegin: Promise<unknown> = Promise.resolve()): Promise<void> {
  // While the program starts, it has no work to finish.
  const leave = (): never => process.exit(1);
  if (process.channel) process.on('disconnect', leave);
  // If there are several processes, the first one warns for all.
  if (!cluster.isWorker) for (const warning of config.warnings) warn(`configuration: ${warning}`);
  await orExit(() => requireWritable(config.dataDir));
  if (config.processes > 1 && cluster.isPrimary) {
    await mayBegin;
    return serveInProcesses(config.processes, leave);
  }
  // The import is here, so that a command or a fault in the configuration does not wait for the whole server to load.
  const { compose } = await import('./compose.ts');
  await mayBegin;
  const app = await orExit(() => compose(config, { report: (line) => print(`  ${line}`) }));

  let stopping = false;
  app.scheduler.start();
  const endBackups = await answerCommands(config, app);

  const server = startHttpServer(app.http.fetch, { port: config.port, host: config.host, admit: app.admit }, (port) => {
    if (isLaterProcess()) return;
    const runtime = describeRuntime(config, app.keys, { pid: startedPid(), port });
    void writeRuntime(config.dataDir, runtime).then(() => {
      print(`ready on ${config.siteUrl}`);
      for (const account of app.demo) print(`  ${account.title}: ${account.email} / ${account.password}`);
    });
  });
  app.attach(server);
  server.on('error', (error: NodeJS.ErrnoException) => {
    warn(describePortFault(error, config.port));
    // The tasks are stopped first, because running tasks would report that the database is closed.
    void app.scheduler
      .stop()
      .then(() => app.close())
      .finally(() => process.exit(1));
  });

  void app.broken.then((error) => {
    app.log.error({ err: error }, 'the embedded database stopped and could not be reopened; the server stops');
    process.exit(1);
  });

  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => exit(1, [`The server did not stop within ${STOP_SECONDS} seconds.`]), STOP_SECONDS * 1000).unref();
    const drained = app.scheduler.stop();
    // The HTTP server does not end before its sockets have ended.
    const disconnected = app.disconnect();
    await new Promise<void>((done) => {
      server.close(() => done());
      // Browsers keep idle connections open, so the server closes them.
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 5_000).unref();
    });
    await disconnected;
    await drained;
    await endBackups();
    if (!isLaterProcess()) await removeRuntime(config.dataDir, startedPid());
    await app.close();
    process.exit(0);
  };
  onStop(() => void stop(), leave);
  process.on('uncaughtException', (error) => {
    app.log.error({ err: error }, 'uncaught error; the server stops');
    process.exit(1);
  });
}

/** Starts `count` processes that serve on one port. The program ends when they have ended. */
async function serveInProcesses(count: number, leave: () => void): Promise<void> {
  const { runProcesses } = await import('./start/processes.ts');
  const { stop } = runProcesses(count, { warn, exit: (code) => process.exit(code) });
  onStop(stop, leave);
}

/** Whether another of the WORKERS processes tells the operator that the server is ready. */
function isLaterProcess(): boolean {
  return cluster.worker !== undefined && cluster.worker.id > 1;
}

/** Returns the id of the process that `npm start` or a supervisor started. With WORKERS it is the parent of this process. */
const startedPid = (): number => (cluster.isWorker ? process.ppid : process.pid);

/** Builds a server on the copy of a database, with the keys in `dataDir` and without real providers. */
async function openCopy(memory: Blob, dataDir: string): Promise<App> {
  const [{ compose }, { restoredKeys }] = await Promise.all([
    import('./compose.ts'),
    import('./start/backup/verify-backup.ts'),
  ]);
  const keys = await restoredKeys(dataDir);
  return compose(readConfig({ ...keys, DATA_DIR: dataDir, SANDBOX: 'on', LOG_LEVEL: 'silent' }), { memory });
}

/** Answers `npm run backup`, which cannot open the embedded database itself. Returns a function that stops answering. */
async function answerCommands(config: Config, { db, log }: App): Promise<() => Promise<void>> {
  if (config.databaseUrl !== null) return () => Promise.resolve();
  const [{ answerBackups }, { createStore }] = await Promise.all([
    import('./start/backup/backup-socket.ts'),
    import('./start/open-adapters.ts'),
  ]);
  return answerBackups({ ...config, db, store: await createStore(config) }, (line) => log.warn({}, line));
}

/**
 * Calls `stop` when the program is told to end or when the program that started it has ended. Replaces `leave`, which handled this during
 * the start.
 */
function onStop(stop: () => void, leave: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // `npm start` holds the other end of this channel, which closes when that process ends for any reason.
  if (process.channel) process.on('disconnect', stop);
  process.off('disconnect', leave);
  // If the reader of the output has ended, the lines are lost but the work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

await main(process.argv.slice(2));
