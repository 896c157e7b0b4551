// `npm run bench:web`: measures the first pages with Lighthouse, on phone settings.
import { existsSync } from 'node:fs';
import { aptInstall, findChromium } from './machine.js';
import { buildWeb, exitWithError, install, ownEnv, ownNode, run, say, SetupError } from './project.js';

await install()
  .then(() => buildWeb())
  .catch(exitWithError);
const chromium = await findChromium();
if (!chromium) exitWithError(new SetupError('Lighthouse needs an installed Chromium: set CHROMIUM_PATH to it.'));
// Until the site's font is loaded, text is set in a font with the metrics of Arial, which every phone has.
if (!existsSync('/usr/share/fonts/truetype/liberation')) await aptInstall('fonts-liberation');
const { code, output } = await run(ownNode(), ['bench/web/main.ts'], { ...ownEnv(), CHROMIUM_PATH: chromium });
say(output);
process.exit(code);
