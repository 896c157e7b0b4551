import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCore } from './core/core.ts';
import type { Provider } from './core/provider.ts';
import { guarded, type Handle, type Listening, serve } from './core/serve.ts';
import { createIgloohome } from './igloohome/igloohome.ts';
import { createHome } from './home/home.ts';
import { createMail } from './mail/mail.ts';
import { createOidc } from './oidc/oidc.ts';
import { createPlug } from './plug/plug.ts';
import { createStripe } from './stripe/stripe.ts';
import { createTwilio } from './twilio/twilio.ts';
import { createVision } from './vision/vision.ts';

/** Tests of S3 storage use this service. The server uses its own disk unless S3 is configured. */
export { type ObjectService, startObjectService } from './s3/object-store.ts';
/** Tests of passes use this service. The server creates passes only with the keys of an account at Apple or Google. */
export { type ApplePush, startApplePush } from './wallet/apple-push.ts';
export { type GoogleWallet, startGoogleWallet } from './wallet/google-wallet.ts';

export type SandboxOptions = {
  /** Port of the home page and control API; the providers use the ports after it. */
  readonly port: number;
  /** Base address of the server, for webhooks. */
  readonly webhookTarget: string;
  readonly host?: string;
  /** File for the state that survives a restart. With null no state is kept. */
  readonly stateFile?: string | null;
};
export type Sandbox = {
  /** Home page and control API. */
  readonly url: string;
  readonly ports: Readonly<Partial<Record<Provider['name'], number>>>;
  close(): Promise<void>;
};

const TICK_MS = 1_000;

/**
 * Starts the sandbox: home +0, Stripe +1, igloohome +2, plugs +3, vision model +4, mail +5, identity provider +6, text messages and
 * captchas +7.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const { core, providers, home } = createParts(options);
  const listening: Listening[] = [];
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all([
      ...providers.map((provider) => provider.close?.()),
      ...listening.map((server) => server.close()),
    ]);
    core.close();
  };
  const timer = setInterval(() => providers.forEach((provider) => provider.runDue?.()), TICK_MS);
  try {
    for (const provider of providers) {
      await provider.start?.(options.port + provider.offset, host);
      if (provider.handle) listening.push(await serve(guarded(core, provider), options.port + provider.offset, host));
    }
    // The home page starts last, so that all providers are ready once it answers.
    listening.push(await serve((request) => home.fetch(request), options.port, host));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: core.getUrl(0),
    ports: Object.fromEntries(providers.map((provider) => [provider.name, options.port + provider.offset])),
    close,
  };
}

/** The sandbox without listeners, for a program that calls it in memory. It simulates no SMTP. */
export type SilentSandbox = {
  /** Answers a request to one of its ports. `Response.error()` means that the connection was closed without an answer. */
  handle(request: Request): Promise<Response>;
  /** Runs what has become due, such as the expiry of payment sessions. */
  runDue(): void;
  close(): void;
};

export function openSilentSandbox(options: SandboxOptions): SilentSandbox {
  const { core, providers, home } = createParts(options);
  const handlers = new Map<string, Handle>([[String(options.port), (request) => home.fetch(request)]]);
  for (const provider of providers)
    if (provider.handle) handlers.set(String(options.port + provider.offset), guarded(core, provider));
  return {
    handle: async (request) => (await handlers.get(new URL(request.url).port)?.(request)) ?? Response.error(),
    runDue: () => providers.forEach((provider) => provider.runDue?.()),
    close: () => core.close(),
  };
}

function createParts({ port, webhookTarget, stateFile = null }: SandboxOptions) {
  const core = createCore({ port, webhookTarget, stateFile });
  const providers: readonly Provider[] = [
    createMail(core),
    createIgloohome(core),
    createPlug(core),
    createVision(core),
    createOidc(core),
    createTwilio(core),
    createStripe(core),
  ];
  return { core, providers, home: createHome(core, providers) };
}

async function main(): Promise<void> {
  const port = Number(process.env['SANDBOX_PORT'] ?? 4010);
  const sandbox = await startSandbox({
    port,
    webhookTarget: process.env['APP_URL'] ?? 'http://localhost:3000',
    host: process.env['SANDBOX_HOST'] ?? '127.0.0.1',
    stateFile: process.env['SANDBOX_STATE'] ?? null,
  });
  process.stdout.write(`sandbox on ${sandbox.url}\n`);
  // `npm start` waits for this message.
  process.send?.('ready');
  const stop = (): void => void sandbox.close().finally(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  // `npm start` holds the other end of this channel, which closes when that process ends.
  if (process.channel) process.on('disconnect', stop);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  await main().catch((error: unknown) => {
    const busy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    process.stderr.write(
      busy
        ? `Ports of the sandbox are in use; set SANDBOX_PORT to the first of eight free ones.\n`
        : `${String(error)}\n`,
    );
    process.exit(1);
  });
}
