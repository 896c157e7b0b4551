// `npm run -s status`: prints the server's addresses and keys as lines that scripts can read.
import { dataFolder, isRunning, loadEnvFile, readRuntime } from './project.js';

loadEnvFile();
const runtime = readRuntime();
if (runtime === null || !isRunning(runtime.pid)) {
  process.stderr.write(`No server runs with DATA_DIR ${dataFolder()}. Start one with: npm start\n`);
  process.exit(1);
}
const lines = {
  API_URL: runtime.apiUrl,
  ANON_KEY: runtime.anonKey,
  SERVICE_ROLE_KEY: runtime.serviceRoleKey,
  DATABASE_URL: runtime.databaseUrl,
  SANDBOX_URL: runtime.sandboxUrl,
};
// In production the file contains no secret.
const isProduction = runtime.serviceRoleKey === undefined;
const shown = Object.entries(lines).filter(([name]) => !isProduction || name === 'API_URL');
for (const [name, value] of shown) process.stdout.write(`${name}=${value}\n`);
if (isProduction) process.stderr.write('Keys are printed in development only.\n');
