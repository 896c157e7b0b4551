// `npm run bench:web`: the first pages in Lighthouse, on phone settings.
import { findChromium } from './machine.js';
import { buildWeb, giveUp, install, ownEnv, ownNode, run, say } from './project.js';

await install()
  .then(() => buildWeb())
  .catch(giveUp);
const chromium = await findChromium();
if (!chromium) giveUp(new Error('Lighthouse needs an installed Chromium: set CHROMIUM_PATH to it.'));
const { code, output } = await run(ownNode(), ['bench/web.ts'], { ...ownEnv(), CHROMIUM_PATH: chromium });
say(output);
process.exit(code);
