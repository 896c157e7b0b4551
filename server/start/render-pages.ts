import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BusinessSettings } from '#rules/business/business.ts';
import type { SiteRoom } from '#rules/business/rooms.ts';

/** What the pages show of the business. */
export type SiteContent = { readonly settings: BusinessSettings; readonly rooms: readonly SiteRoom[] };
/** What site-pages.ts sends to this program. `folder`: with the renderer of build/site.ts. */
export type RenderRequest = { readonly folder: string; readonly content: SiteContent };
type Renderer = {
  renderSite: (templates: Record<string, string>, content: SiteContent) => Promise<Record<string, string>>;
};

// A program of its own, so that neither its memory nor its time are the server's, and the pages have Sydney's time zone as in the build.
process.once('message', (request: RenderRequest) => {
  void render(request).then((files) => process.send?.(files, () => process.exit(0)));
});

async function render({ folder, content }: RenderRequest): Promise<Record<string, string>> {
  const templates: Record<string, string> = JSON.parse(await readFile(join(folder, 'templates.json'), 'utf8'));
  const renderer: Renderer = await import(pathToFileURL(join(folder, 'prerender.js')).href);
  return renderer.renderSite(templates, content);
}
