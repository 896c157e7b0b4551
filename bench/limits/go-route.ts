import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BareRoute } from './bare-route.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** By default the folder of Debian's Go packages. */
const GOPATH = process.env['GOPATH'] ?? '/usr/share/gocode';
export const GO_PACKAGES = 'golang-go and golang-github-jackc-pgx-v4-dev';

/** Builds go-route.go and starts it. Returns the process, or null if Go or pgx is missing. */
export async function startGoRoute(route: BareRoute): Promise<ChildProcess | null> {
  const cache = join(ROOT, 'node_modules', '.cache', 'go');
  const program = join(cache, 'go-route');
  const env = { ...process.env, GOPATH, GO111MODULE: 'off', GOFLAGS: '', GOCACHE: join(cache, 'build') };
  const build = ['build', '-o', program, join(import.meta.dirname, 'go-route.go')];
  if (!existsSync(join(GOPATH, 'src', 'github.com', 'jackc', 'pgx', 'v4'))) return null;
  const { status, error, stderr } = spawnSync('go', build, { env, encoding: 'utf8' });
  if (error) return null;
  if (status !== 0) throw new Error(`go-route.go cannot be built: ${stderr}`);
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(route));
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`the Go route ended with ${code}`)));
  });
  return child;
}
