import { prerender } from 'react-dom/static';
import { type Business, type BusinessSettings, fillText } from '#rules/business/business.ts';
import { firstHoldLimits, firstSettings } from '#rules/business/first-settings.ts';
import { fillOffer, firstRooms, type SiteRoom } from '#rules/business/rooms.ts';
import { venue } from '#rules/venue.ts';
import { Router } from './router/router.tsx';
import { App } from './app.tsx';
import type { PageData } from './lib/business/business.ts';
import { isPublic } from './lib/head.ts';
import { selectStyles } from './page-styles.ts';
import { getPageText } from './page-texts.ts';
import { fetchPage, type PageRoute, pages, unknownPage } from './routes.tsx';

/** A page of the site, as build/site.ts needs it. */
export type SitePage = {
  /** The name of its file: index.html for the first page, 404.html for the unknown one. */
  readonly file: string;
  /** Path without its leading slash, '' for the first page. */
  readonly name: string;
  /** Source file, below `web/`. */
  readonly source: string;
  readonly way: PageRoute['rendered'];
};

/** The pages that contain long texts from the settings of the business. */
const WITH_TEXTS: readonly string[] = ['terms', 'privacy'];
const MANIFEST = 'site.webmanifest';
/** The key of the style sheet of all pages among the templates. */
const STYLES = 'styles.css';
const FIRST = { settings: firstSettings, rooms: firstRooms };

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** Serialises JSON so that it cannot close the script element that contains it. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const getName = ({ path }: PageRoute): string => (path === '*' ? '404' : path.slice(1).replace('/*', '-any'));
const getFileName = (route: PageRoute): string => `${getName(route) || 'index'}.html`;

export function listPages(): SitePage[] {
  return [...pages, unknownPage].map((route) => ({
    file: getFileName(route),
    name: getName(route),
    source: `pages/${route.page}.tsx`,
    way: route.rendered,
  }));
}

/**
 * Renders every file that contains details of the business: the pages and the web app manifest, by file name. `templates` contains the text
 * of each file, with markers for the rendered parts, and the style sheet as `styles.css`. By default, the files show the initial settings
 * and rooms. The server replaces `%SITE_URL%`.
 */
export async function renderSite(
  templates: Readonly<Record<string, string>>,
  { settings, rooms }: { settings: BusinessSettings; rooms: readonly SiteRoom[] } = FIRST,
): Promise<Record<string, string>> {
  const { terms, privacy } = settings;
  const business = toBusiness(settings);
  const texts = { termsVersion: business.termsVersion, terms, privacy };
  const rendered = await Promise.all(
    [...pages, unknownPage].map(async (route) => {
      const data = { business, rooms, texts: WITH_TEXTS.includes(route.page) ? texts : null };
      const page = await renderPage(templates[getFileName(route)] ?? '', route, data);
      return [getFileName(route), await withStyles(page, templates[STYLES] ?? '')] as const;
    }),
  );
  return { ...Object.fromEntries(rendered), [MANIFEST]: webManifest(templates[MANIFEST] ?? '{}', business) };
}

/** Replaces the marker in a page with the rules that the page needs. A page without a marker links the style sheet instead. */
async function withStyles(page: string, styles: string): Promise<string> {
  const marker = '<!--styles-->';
  if (!page.includes(marker)) return page;
  const needed = await selectStyles(page, styles);
  return page.replace(marker, () => `<style>${needed}</style>`);
}

/** The settings that no page shows, or that only some pages show. */
const HIDDEN: readonly string[] = ['arrivalNotes', 'terms', 'privacy', ...Object.keys(firstHoldLimits)];

/** Returns the settings that every page may show. */
function toBusiness(settings: BusinessSettings): Business {
  const shown = Object.entries(settings).filter(([name]) => !HIDDEN.includes(name));
  // Cast: `fromEntries` loses the names of the keys.
  return Object.fromEntries(shown) as Business;
}

async function renderPage(template: string, route: PageRoute, data: PageData): Promise<string> {
  const { title, body } =
    route.rendered === 'no' ? { title: null, body: '' } : await render(`/${getName(route)}`, data);
  return template
    .replace('<!--head-->', () => renderHead(route, title, data))
    .replace('<!--page-->', () => body)
    .replace('<!--data-->', () => `<script type="application/json" id="page-data">${json(data)}</script>`);
}

/** Renders a page. React puts its title first when it does not render the whole document. */
async function render(location: string, data: PageData): Promise<{ title: string | null; body: string }> {
  await fetchPage(location);
  const app = <App data={data} route={(inside) => <Router at={location}>{inside}</Router>} />;
  const faults: unknown[] = [];
  const { prelude } = await prerender(app, { onError: (error) => void faults.push(error) });
  const html = await new Response(prelude).text();
  if (faults.length > 0) throw faults[0];
  const title = /<title>(.*?)<\/title>/.exec(html);
  if (/<script|\sstyle="/.test(html))
    throw new Error(`${location} renders a script or an inline style, which the content security policy refuses`);
  return { title: title?.[1] ?? null, body: html.replace(title?.[0] ?? '', '') };
}

function renderHead(route: PageRoute, renderedTitle: string | null, { business, rooms }: PageData): string {
  const title = renderedTitle ?? escape(`${getPageText(route.path).title} · ${business.name}`);
  const name = escape(business.name);
  const fillDescription = (path: string): string => fillOffer(fillText(getPageText(path).description, business), rooms);
  const description = escape(fillDescription(route.path));
  const url = `%SITE_URL%${route.canonical ?? (route.path === '*' ? '/' : route.path.replace('/*', ''))}`;
  const shared = [
    ['og:type', 'website'],
    ['og:site_name', name],
    ['og:title', title],
    ['og:description', description],
    ['og:url', url],
    ['og:locale', 'en_AU'],
    ['og:image', '%SITE_URL%/open-graph.jpg'],
    ['og:image:width', '1200'],
    ['og:image:height', '630'],
    ['og:image:alt', `${name}: ${venue.tagline}`],
  ];
  return [
    `<title>${title}</title>`,
    `<meta name="description" content="${description}" />`,
    `<meta name="robots" content="${isPublic(route) ? 'index, follow' : 'noindex'}" />`,
    `<link rel="canonical" href="${url}" />`,
    ...shared.map(([property, content]) => `<meta property="${property}" content="${content}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
    ...(route.page === 'landing' || route.page === 'about/us'
      ? [`<script type="application/ld+json">${json(describe(business, fillDescription('/')))}</script>`]
      : []),
  ].join('\n    ');
}

/** Describes the business for search engines: https://schema.org/LocalBusiness */
function describe({ name, email, phone, address, instagram }: Business, description: string): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'EntertainmentBusiness',
    '@id': '%SITE_URL%/#business',
    name,
    description,
    slogan: venue.tagline,
    url: '%SITE_URL%/',
    image: '%SITE_URL%/open-graph.jpg',
    logo: '%SITE_URL%/icons/512.png',
    email,
    ...(phone === '' ? {} : { telephone: phone }),
    address: {
      '@type': 'PostalAddress',
      // The initial settings have no street address.
      ...(address === venue.address ? {} : { streetAddress: address }),
      addressLocality: 'Sydney',
      addressRegion: 'NSW',
      addressCountry: 'AU',
    },
    openingHoursSpecification: {
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
      opens: '00:00',
      closes: '23:59',
    },
    currenciesAccepted: 'AUD',
    ...(instagram === '' ? {} : { sameAs: [`https://www.instagram.com/${instagram.replace(/^@/, '')}/`] }),
    potentialAction: { '@type': 'ReserveAction', target: '%SITE_URL%/booking' },
  };
}

/** Returns the web app manifest with the name of the business. `template` is JSON. */
function webManifest(template: string, { name }: Business): string {
  const manifest: Record<string, unknown> = JSON.parse(template);
  return `${JSON.stringify({ ...manifest, name }, null, 2)}\n`;
}

/** Returns the sitemap of the public pages. */
export function sitemap(): string {
  const entries = pages
    .filter((route) => isPublic(route) && route.canonical === undefined)
    .map((route) => `  <url><loc>%SITE_URL%${route.path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
