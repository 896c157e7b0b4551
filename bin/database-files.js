// `npm run database:files`: writes database/types.ts, database/tables.sql and docs/data-model.md from the migrations and the code.
import { exitWithError, install, ownEnv, ownNode, run, say } from './project.js';

await install().catch(exitWithError);
const { code, output } = await run(ownNode(), ['tools/database-files/write.ts'], ownEnv());
say(code === 0 ? 'database/types.ts, database/tables.sql and docs/data-model.md are written.' : output.trimEnd());
process.exit(code);
