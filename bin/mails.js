// `npm run mails -- FOLDER`: writes each mail with sample data as HTML and text, for viewing in a browser.
import { exitWithError, install, ownEnv, ownNode, run, say } from './project.js';

const folder = process.argv[2] ?? 'artefacts/mails';
await install().catch(exitWithError);
const { code, output } = await run(ownNode(), ['tools/mails/write.ts', folder], ownEnv());
say(code === 0 ? `Open ${folder}/index.html.` : output.trimEnd());
process.exit(code);
