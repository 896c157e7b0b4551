// `npm run -s status`: prints the server's addresses and keys as lines that scripts can read.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, loadEnvFile } from './project.js';

loadEnvFile();
const file = join(dataFolder(), 'runtime.json');
if (!existsSync(file)) {
  process.stderr.write(`No server has run with DATA_DIR ${dataFolder()} yet. Start one with: npm start\n`);
  process.exit(1);
}
const runtime = JSON.parse(readFileSync(file, 'utf8'));
const lines = {
  API_URL: runtime.apiUrl,
  ANON_KEY: runtime.anonKey,
  SERVICE_ROLE_KEY: runtime.serviceRoleKey,
  DATABASE_URL: runtime.databaseUrl,
  SANDBOX_URL: runtime.sandboxUrl,
};
for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}=${value}\n`);
