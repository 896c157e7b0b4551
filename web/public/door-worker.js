/*
 * Lets a phone that has opened /door before open it again without a network. The cache contains the page, its files and the photo of the
 * entrance, but no other answer of the server, so it never contains an access code: web/lib/stored/door-copy.ts stores the code until the
 * session ends. Signing out deletes the cache.
 */
const CACHE = 'door';
const PAGE = '/door';
/** How long a customer at the door waits for the network before the stored page is shown. */
const WAIT_MS = 4_000;
/** Files of the build and public photos. Their names change with their content, so a stored file is never stale. */
const FILES = /^\/(?:assets|storage\/v1\/render\/image\/public\/rooms)\//;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('message', (event) => {
  if (Array.isArray(event.data?.files)) event.waitUntil(keep(event.data.files));
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate' && pathname === PAGE) event.respondWith(openPage(request));
  else if (FILES.test(pathname)) event.respondWith(openFile(request, pathname + search));
});

/** Stores the current page, the files that it names and the files in `used`, and deletes all other files. */
async function keep(used) {
  const page = await fetch(PAGE, { cache: 'no-store' });
  if (!page.ok || page.redirected) return;
  const named = (await page.clone().text()).match(/\/assets\/[\w.-]+/g) ?? [];
  const files = new Set([...named, ...used].filter((path) => FILES.test(path)));
  const cache = await caches.open(CACHE);
  for (const path of files) {
    if (await cache.match(path, { ignoreVary: true })) continue;
    const file = await fetch(path);
    if (file.ok) await cache.put(path, file);
  }
  // The page is stored last, so that a stored page always has all its files.
  await cache.put(PAGE, page);
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url);
    if (pathname !== PAGE && !files.has(pathname + search)) await cache.delete(url);
  }
}

/** Fetches the page. Returns the stored page instead if the network fails or does not answer within `WAIT_MS`. */
async function openPage(request) {
  const kept = async () => (await caches.open(CACHE)).match(PAGE, { ignoreVary: true });
  const late = new Promise((resolve) => setTimeout(() => kept().then(resolve), WAIT_MS));
  const fresh = fetch(request);
  try {
    return (await Promise.race([fresh, late])) ?? (await fresh);
  } catch (error) {
    const page = await kept();
    if (page) return page;
    throw error;
  }
}

/** Returns the stored file, or fetches it. */
async function openFile(request, path) {
  const kept = await (await caches.open(CACHE)).match(path, { ignoreVary: true });
  return kept ?? fetch(request);
}
