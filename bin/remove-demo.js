// `npm run remove-demo`: removes the sandbox's demo accounts from the database before it is used in production.
import { exitWithError, install, loadEnvFile, ownEnv, ownNode, run, say } from './project.js';

loadEnvFile();
await install().catch(exitWithError);
const { code, output } = await run(ownNode(), ['server/main.ts', 'remove-demo'], ownEnv());
say(output.trimEnd());
process.exit(code);
