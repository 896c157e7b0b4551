import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCore } from './core/core.ts';
import { guarded, type Listening, serve } from './core/serve.ts';
import { createState } from './core/state.ts';
import { createHome } from './home/home.ts';
import { createIgloohomeApi } from './igloohome/api.ts';
import { createLocks } from './igloohome/locks.ts';
import { createMailbox } from './mail/mail.ts';
import { createPlugs } from './plug/plug.ts';
import { createStripeApi } from './stripe/api.ts';
import { createStripePages } from './stripe/pages.ts';
import { createStripe } from './stripe/store.ts';

export type SandboxOptions = {
  /** Home page and control API; the stand-ins listen on the ports after it. */
  readonly port: number;
  /** Where webhooks go: the address of the server. */
  readonly webhookTarget: string;
  readonly host?: string;
  /** What survives a restart; null: nothing. */
  readonly stateFile?: string | null;
};
export type Sandbox = { readonly url: string; close(): Promise<void> };

/** Starts the pretended outside world: home +0, Stripe +1, igloohome +2, plugs +3, mail +5. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const at = (offset: number): string => `http://localhost:${options.port + offset}`;
  const core = createCore();
  const state = createState(options.stateFile ?? null);
  const hooks = `${options.webhookTarget}/functions/v1`;
  const stripe = createStripe({
    core,
    state,
    baseUrl: at(1),
    webhookUrl: `${hooks}/stripe-webhook`,
    webhookSecret: 'whsec_sandbox',
  });
  const locks = createLocks({ core, state, webhookUrl: `${hooks}/igloohome-webhook` });
  const plugs = createPlugs({ core, state });
  const stripeApi = guarded(
    core,
    'stripe',
    createStripeApi(stripe, { secret: 'sk_test_sandbox', restricted: 'rk_test_sandbox' }),
  );
  const pages = createStripePages(stripe);
  const igloohome = guarded(
    core,
    'igloohome',
    createIgloohomeApi({ core, locks, clientId: 'sandbox-client', clientSecret: 'sandbox-secret' }),
  );

  const mailbox = await createMailbox(core, options.port + 5, host);
  const home = createHome({ core, stripe, locks, plugs, mailbox });
  const listening: Listening[] = await Promise.all([
    serve((request) => home.fetch(request), options.port, host),
    serve(async (request) => (await pages(request)) ?? stripeApi(request), options.port + 1, host),
    serve(igloohome, options.port + 2, host),
    serve(
      guarded(core, 'plug', (request) => plugs.handle(request)),
      options.port + 3,
      host,
    ),
  ]);
  const timer = setInterval(() => stripe.expireDue(), 1_000);
  return {
    url: at(0),
    async close() {
      clearInterval(timer);
      core.close();
      state.flush();
      await Promise.all([mailbox.close(), ...listening.map((one) => one.close())]);
    },
  };
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
  const stop = (): void => void sandbox.close().finally(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  await main().catch((error: unknown) => {
    const busy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    process.stderr.write(
      busy ? `A port of the sandbox is in use; set SANDBOX_PORT to another one.\n` : `${String(error)}\n`,
    );
    process.exit(1);
  });
}
