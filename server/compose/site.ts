import { createSite } from '#server/http/site.ts';
import { readStudioLocks } from '#server/operations/access/studio-locks.ts';
import type { Services } from '#server/operations/core/services.ts';
import type { Config } from '#server/config/operating/config.ts';
import { getKinds } from '#server/start/open-adapters.ts';
import { createSitePages, RENDERER, SITE_FOLDERS } from '#server/start/site-pages.ts';
import type { Base } from './base.ts';

/**
 * Opens the built web app. When the settings of the business change, its pages are rendered again and the locks of the rooms are read
 * again.
 */
export async function openSite(
  config: Config,
  { db, keys, business, clock, warn }: Base,
  services: Services,
  studioLocks: Map<string, string>,
) {
  const site = createSite({
    ...SITE_FOLDERS,
    siteUrl: config.siteUrl,
    captcha: config.auth.captcha?.provider ?? null,
    anonKey: keys.anonKey,
    wallets: getKinds(services.wallets),
    contact: business.now,
    clock,
  });
  const pages = createSitePages({
    folder: RENDERER,
    content: () => ({ settings: business.now(), rooms: business.rooms() }),
    show: site.show,
    warn,
  });
  business.onChange(() => {
    void pages.render();
    // On failure the previous locks stay in use; the next change reads them again.
    void readStudioLocks(db, config.igloohome.locks, studioLocks).catch(() =>
      warn('the locks of the rooms could not be read; the previous ones stay in use'),
    );
  });
  await pages.render();
  return site;
}
