// `npm run import-users FILE`: imports accounts of a hosted project from a dump of auth.users and auth.identities.
import { resolve } from 'node:path';
import { exitWithError, install, loadEnvFile, ownEnv, ownNode, run, say } from './project.js';

loadEnvFile();
await install().catch(exitWithError);
const files = process.argv.slice(2).map((file) => resolve(file));
const { code, output } = await run(ownNode(), ['server/main.ts', 'import-users', ...files], ownEnv());
say(output.trimEnd());
process.exit(code);
