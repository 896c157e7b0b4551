import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BusinessSettings } from '#rules/business/business.ts';
import type { SiteRoom } from '#rules/business/rooms.ts';

/** The content of the pages about the business. */
export type SiteContent = { readonly settings: BusinessSettings; readonly rooms: readonly SiteRoom[] };
/** The request that site-pages.ts sends to this program. `folder`: the folder of the renderer that build/site.ts made. */
export type RenderRequest = { readonly folder: string; readonly content: SiteContent };
type Renderer = {
  renderSite: (templates: Record<string, string>, content: SiteContent) => Promise<Record<string, string>>;
};

// The renderer is a separate program: it uses none of the server's memory and time, and renders in Sydney's time zone, as the build does.
process.once('message', (request: RenderRequest) => {
  void render(request).then((files) => process.send?.(files, () => process.exit(0)));
});

async function render({ folder, content }: RenderRequest): Promise<Record<string, string>> {
  const templates: Record<string, string> = JSON.parse(await readFile(join(folder, 'templates.json'), 'utf8'));
  const renderer: Renderer = await import(pathToFileURL(join(folder, 'prerender.js')).href);
  return renderer.renderSite(templates, content);
}
