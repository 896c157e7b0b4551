// `npm run release:record`: adds the checked-out commit to database/released.json (CONTRIBUTING.md).
import { exitWithError, install, ownEnv, ownNode, run, say } from './project.js';

await install().catch(exitWithError);
const { code, output } = await run(ownNode(), ['tools/releases/record.ts'], ownEnv());
say(code === 0 ? 'database/released.json has this commit as a release.' : output.trimEnd());
process.exit(code);
