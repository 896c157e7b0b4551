// `npm run bench:web`: measures the first pages with Lighthouse, on phone settings.
import { findChromium } from './machine.js';
import { buildWeb, exitWithError, install, ownEnv, ownNode, run, say, SetupError } from './project.js';

await install()
  .then(() => buildWeb())
  .catch(exitWithError);
const chromium = await findChromium();
if (!chromium) exitWithError(new SetupError('Lighthouse needs an installed Chromium: set CHROMIUM_PATH to it.'));
const { code, output } = await run(ownNode(), ['bench/web/main.ts'], { ...ownEnv(), CHROMIUM_PATH: chromium });
say(output);
process.exit(code);
