import type { Config } from '#server/config/operating/config.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import type { NamedCall } from '#server/providers/call.ts';
import { createWallets } from '../open-adapters.ts';
import { clockFindings } from './clock.ts';
import { backupFindings, configFindings } from './config-findings.ts';
import { databaseFindings } from './database.ts';
import { lockFindings, plugFindings, readerFindings } from './devices.ts';
import { fileFindings } from './files.ts';
import { createRedaction, fail, type Finding, getReason } from './finding.ts';
import { mailFindings } from './mail.ts';
import { hostedCheckFindings, paymentFindings } from './payments.ts';
import { siteFindings } from './site.ts';
import { passServiceFindings, walletFindings } from './wallet.ts';

/** Longer than a bridge takes to query all locks of a small studio. */
const LIMIT_MS = 60_000;

/** Each check makes a single call, so it needs no circuit breaker. */
const direct = { run: <T>(_call: NamedCall, work: () => Promise<T>): Promise<T> => work() };
const UNGUARDED = { applePush: direct, googleWallet: direct };

type Check = (config: Config) => readonly Finding[] | Promise<readonly Finding[]>;
const CHECKS: readonly (readonly [area: string, check: Check])[] = [
  ['settings', configFindings],
  ['database', databaseFindings],
  ['files', fileFindings],
  ['backup', backupFindings],
  ['payments', paymentFindings],
  ['id checks', hostedCheckFindings],
  ['id checks', readerFindings],
  ['locks', lockFindings],
  ['plugs', plugFindings],
  ['mail', mailFindings],
  ['wallets', (config) => walletFindings(config, new Date())],
  ['wallets', async ({ wallet }) => passServiceFindings(await createWallets(wallet, UNGUARDED), new Date())],
  ['clock', clockFindings],
  ['site', siteFindings],
];

type AreaFinding = Finding & { readonly area: string };

/** Runs all checks concurrently and returns their findings in the order of the checks, with secrets removed. */
export async function examine(config: Config): Promise<AreaFinding[]> {
  const redact = createRedaction(config.settings);
  const found = CHECKS.map(async ([area, check]) =>
    (await withLimit(async () => check(config))).map((finding) => ({
      area,
      ...finding,
      text: redact(finding.text),
      advice: redact(finding.advice),
    })),
  );
  return (await Promise.all(found)).flat();
}

async function withLimit(run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<readonly Finding[]>((settle) => {
    timer = setTimeout(() => settle([fail('no answer within a minute', 'Look again later.')]), LIMIT_MS);
  });
  const work = run().catch((error: unknown) => [fail(getReason(error), 'Look again later.')]);
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** `npm run doctor`: prints one line for each finding, or one object with `--json`. Returns the exit code: 1 if a check fails. */
export async function runDoctor(
  readConfig: () => Config,
  args: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const found = await examineAll(readConfig);
  const failed = found.some(({ state }) => state === 'fail');
  if (args.includes('--json')) print(JSON.stringify({ ok: !failed, findings: found }));
  else for (const finding of found) print(describe(finding));
  return failed ? 1 : 0;
}

async function examineAll(readConfig: () => Config): Promise<AreaFinding[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    // No other check can run without the settings.
    const advice = 'Correct it; .env.example explains each setting.';
    return error.faults.map((fault) => ({ area: 'settings', ...fail(fault, advice) }));
  }
  return examine(config);
}

const WIDTH = Math.max(...CHECKS.map(([area]) => area.length));

function describe({ state, area, text, advice }: AreaFinding): string {
  const line = `${state.padEnd(4)}  ${area.padEnd(WIDTH)}  ${text}`;
  return advice === '' ? line : `${line}\n${' '.repeat(WIDTH + 8)}→ ${advice}`;
}
