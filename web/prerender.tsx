import { prerender } from 'react-dom/static';
import { venue } from '#rules/venue.ts';
import { Router } from './router/router.tsx';
import { App } from './app.tsx';
import { isPublic } from './lib/head.ts';
import { fetchPage, type PageRoute, pages, unknownPage } from './routes.tsx';

/** A page pre-rendered by the build (build/site.ts). The server fills in `%SITE_URL%`. */
export type RenderedPage = {
  /** Path without its leading slash, '' for the first page, '404' for the unknown one. */
  readonly name: string;
  /** Source file, below `web/`. */
  readonly source: string;
  readonly head: string;
  readonly body: string;
  readonly way: PageRoute['rendered'];
};

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export function renderSite(): Promise<RenderedPage[]> {
  return Promise.all([...pages, unknownPage].map(renderPage));
}

async function renderPage(route: PageRoute): Promise<RenderedPage> {
  const name = route.path === '*' ? '404' : route.path.slice(1);
  const { title, body } = route.rendered === 'no' ? { title: null, body: '' } : await render(`/${name}`);
  return { name, source: `pages/${route.page}.tsx`, head: headOf(route, title), body, way: route.rendered };
}

/** Renders a page. React puts its title first when it does not render the whole document. */
async function render(location: string): Promise<{ title: string | null; body: string }> {
  await fetchPage(location);
  const app = <App route={(inside) => <Router at={location}>{inside}</Router>} />;
  const faults: unknown[] = [];
  const { prelude } = await prerender(app, { onError: (error) => void faults.push(error) });
  const html = await new Response(prelude).text();
  if (faults.length > 0) throw faults[0];
  const title = /<title>(.*?)<\/title>/.exec(html);
  if (/<script|\sstyle="/.test(html))
    throw new Error(`${location} renders a script or an inline style, which the content security policy refuses`);
  return { title: title?.[1] ?? null, body: html.replace(title?.[0] ?? '', '') };
}

function headOf(route: PageRoute, renderedTitle: string | null): string {
  const title = renderedTitle ?? escape(route.path === '/' ? route.title : `${route.title} · ${venue.name}`);
  const url = `%SITE_URL%${route.canonical ?? (route.path === '*' ? '/' : route.path)}`;
  const shared = [
    ['og:type', 'website'],
    ['og:site_name', venue.name],
    ['og:title', title],
    ['og:description', escape(route.description)],
    ['og:url', url],
    ['og:locale', 'en_AU'],
    ['og:image', '%SITE_URL%/open-graph.jpg'],
    ['og:image:width', '1200'],
    ['og:image:height', '630'],
    ['og:image:alt', `${venue.name}: ${venue.tagline}`],
  ];
  return [
    `<title>${title}</title>`,
    `<meta name="description" content="${escape(route.description)}" />`,
    `<meta name="robots" content="${isPublic(route) ? 'index, follow' : 'noindex'}" />`,
    `<link rel="canonical" href="${url}" />`,
    ...shared.map(([property, content]) => `<meta property="${property}" content="${content}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
    ...(route.page === 'landing' || route.page === 'about'
      ? [`<script type="application/ld+json">${JSON.stringify(business()).replaceAll('<', '\\u003c')}</script>`]
      : []),
  ].join('\n    ');
}

/** Describes the business for search engines: https://schema.org/LocalBusiness */
function business(): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'EntertainmentBusiness',
    '@id': '%SITE_URL%/#business',
    name: venue.name,
    description: pages[0]?.description,
    slogan: venue.tagline,
    url: '%SITE_URL%/',
    image: '%SITE_URL%/open-graph.jpg',
    logo: '%SITE_URL%/icons/512.png',
    email: venue.email,
    address: { '@type': 'PostalAddress', addressLocality: 'Sydney', addressRegion: 'NSW', addressCountry: 'AU' },
    openingHoursSpecification: {
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
      opens: '00:00',
      closes: '23:59',
    },
    currenciesAccepted: 'AUD',
    sameAs: [`https://www.instagram.com/${venue.instagram.replace(/^@/, '')}/`],
    potentialAction: { '@type': 'ReserveAction', target: '%SITE_URL%/booking' },
  };
}

/** Returns the web app manifest with the name of the business; `template` is JSON. */
export function webManifest(template: string): string {
  const manifest: Record<string, unknown> = JSON.parse(template);
  return `${JSON.stringify({ ...manifest, name: venue.name }, null, 2)}\n`;
}

/** Returns the sitemap of the public pages. */
export function sitemap(): string {
  const entries = pages
    .filter((route) => isPublic(route) && route.canonical === undefined)
    .map((route) => `  <url><loc>%SITE_URL%${route.path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
