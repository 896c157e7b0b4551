import type { CheckedConfig } from './checked-config.ts';
import type { NamedCall } from '#server/providers/call.ts';
import { createWallets } from '../open-adapters.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { clockFindings } from './clock.ts';
import { databaseFindings } from './database.ts';
import { lockFindings, plugFindings, readerFindings } from './devices.ts';
import { fileFindings } from './files.ts';
import { type Area, type Check, createRedaction, type Finding, findingsOf, reasonOf } from './finding.ts';
import { mailFindings } from './mail.ts';
import { hostedCheckFindings, paymentFindings } from './payments.ts';
import { backupFindings, configFindings } from './config-findings.ts';
import { siteFindings } from './site.ts';
import { passServiceFindings, walletFindings } from './wallet.ts';

/** Longer than a bridge takes to ask all locks of a small studio. */
const LIMIT_MS = 60_000;

/** One call each needs no circuit breaker. */
const direct = { run: <T>(_call: NamedCall, work: () => Promise<T>): Promise<T> => work() };
const UNGUARDED = { applePush: direct, googleWallet: direct };

function checksOf(config: CheckedConfig): Check[] {
  return [
    { area: 'settings', run: () => Promise.resolve(configFindings(config)) },
    { area: 'database', run: () => databaseFindings(config) },
    { area: 'files', run: () => fileFindings(config) },
    { area: 'backup', run: () => Promise.resolve(backupFindings(config)) },
    { area: 'payments', run: () => paymentFindings(config) },
    { area: 'id checks', run: () => hostedCheckFindings(config) },
    { area: 'id checks', run: () => readerFindings(config) },
    { area: 'locks', run: () => lockFindings(config) },
    { area: 'plugs', run: () => plugFindings(config) },
    { area: 'mail', run: () => mailFindings(config) },
    { area: 'wallets', run: () => Promise.resolve(walletFindings(config, new Date())) },
    {
      area: 'wallets',
      run: async () => passServiceFindings(await createWallets(config.wallet, UNGUARDED), new Date()),
    },
    { area: 'clock', run: () => clockFindings(config) },
    { area: 'site', run: () => siteFindings(config) },
  ];
}

/** Runs all checks side by side and returns what they find, in their order, without a secret. */
export async function examine(config: CheckedConfig): Promise<Finding[]> {
  const found = await Promise.all(checksOf(config).map(withLimit));
  const redact = createRedaction(config.settings);
  return found.flat().map((one) => ({ ...one, text: redact(one.text), advice: redact(one.advice) }));
}

async function withLimit({ area, run }: Check): Promise<readonly Finding[]> {
  const { fail } = findingsOf(area);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<readonly Finding[]>((settle) => {
    timer = setTimeout(() => settle([fail('no answer within a minute', 'Look again later.')]), LIMIT_MS);
  });
  const work = run().catch((error: unknown) => [fail(reasonOf(error), 'Look again later.')]);
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** `npm run doctor`: one line for each finding, or with `--json` one object. Returns the exit code: 1 when something fails. */
export async function runDoctor(
  readConfig: () => CheckedConfig,
  args: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const found = await examineAll(readConfig);
  const failed = found.some(({ state }) => state === 'fail');
  if (args.includes('--json')) print(JSON.stringify({ ok: !failed, findings: found }));
  else for (const one of found) print(describe(one));
  return failed ? 1 : 0;
}

async function examineAll(readConfig: () => CheckedConfig): Promise<Finding[]> {
  let config: CheckedConfig;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    // Everything else depends on the settings.
    return error.faults.map((fault) =>
      findingsOf('settings').fail(fault, 'Correct it; .env.example explains each setting.'),
    );
  }
  return examine(config);
}

const WIDEST: Area = 'id checks';

function describe({ state, area, text, advice }: Finding): string {
  const line = `${state.padEnd(4)}  ${area.padEnd(WIDEST.length)}  ${text}`;
  return advice === '' ? line : `${line}\n${' '.repeat(WIDEST.length + 8)}→ ${advice}`;
}
