import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { firstRooms } from '#rules/business/rooms.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { RenderRequest, SiteContent } from './render-pages.ts';

const PROGRAM = new URL('render-pages.ts', import.meta.url).pathname;
/** The build (bin/build.js) puts the web app next to the server as plain JavaScript; in a source checkout it is in dist. */
const BUILT = new URL(import.meta.url.endsWith('.js') ? '../../' : '../../dist/', import.meta.url).pathname;
/** The web app, the assets of earlier builds that open tabs still need, and the renderer of the pages. */
export const SITE_FOLDERS = { folder: `${BUILT}web`, earlierAssets: `${BUILT}earlier-assets` };
export const RENDERER = `${BUILT}web/.render`;
const LONGEST_MS = 60_000;
/** The content of the pages as built. */
const FIRST: SiteContent = { settings: firstSettings, rooms: firstRooms };

/**
 * Keeps the pages up to date with the settings and rooms: renders them after each change and passes them to `show`. The built files show
 * the initial settings, so nothing is rendered before the first change. While rendering fails, the last pages stay.
 */
export function createSitePages(context: {
  /** The folder where build/site.ts has put the renderer. Without it (no build), nothing is rendered. */
  folder: string;
  content: () => SiteContent;
  show: (files: ReadonlyMap<string, string>) => void;
  warn: (line: string) => void;
}): { render: () => Promise<void> } {
  let shown: SiteContent = FIRST;
  const render = async (): Promise<void> => {
    const content = context.content();
    if (isDeepStrictEqual(content, shown) || !existsSync(context.folder)) return;
    try {
      const files = isDeepStrictEqual(content, FIRST) ? {} : await renderApart({ folder: context.folder, content });
      context.show(new Map(Object.entries(files)));
      shown = content;
    } catch (error) {
      context.warn(
        `the pages could not be rendered with the new settings or rooms; the previous pages stay: ${String(error)}`,
      );
    }
  };
  // Renderings run one after the other, so that the newest settings are rendered last.
  let rendering = Promise.resolve();
  return {
    render() {
      rendering = rendering.then(render);
      return rendering;
    },
  };
}

function renderApart(request: RenderRequest): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, {
      env: { TZ: 'Australia/Sydney' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      timeout: LONGEST_MS,
    });
    child.once('message', (files: Record<string, string>) => resolve(files));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the renderer ended with ${signal ?? code}`)));
    child.send(request);
  });
}
