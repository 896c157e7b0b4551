// `npm run -s status`: where the server of this DATA_DIR is, and the keys to talk to it.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvFile, root } from './project.js';

loadEnvFile();
const file = join(resolve(root, process.env.DATA_DIR || './data'), 'runtime.json');
if (!existsSync(file)) {
  process.stderr.write('No server has run with this DATA_DIR yet; start one with: npm start\n');
  process.exit(1);
}
const runtime = JSON.parse(readFileSync(file, 'utf8'));
for (const [name, value] of [
  ['API_URL', runtime.apiUrl],
  ['ANON_KEY', runtime.anonKey],
  ['SERVICE_ROLE_KEY', runtime.serviceRoleKey],
  ['DATABASE_URL', runtime.databaseUrl],
  ['SANDBOX_URL', runtime.sandboxUrl],
]) {
  process.stdout.write(`${name}=${value}\n`);
}
