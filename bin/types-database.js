// `npm run types:database`: writes database/types.ts from the migrations.
import { exitWithError, install, ownEnv, ownNode, run, say } from './project.js';

await install().catch(exitWithError);
const { code, output } = await run(ownNode(), ['tools/database-types/write.ts'], ownEnv());
say(code === 0 ? 'database/types.ts is written.' : output.trimEnd());
process.exit(code);
