// Lets /door open without a network once it was opened with one: the page, its files and the photo of the entrance. It stores no other answer, so no code is
// here: web/lib/stored/door-copy.ts keeps that until the session ends. Signing out deletes the cache.
const CACHE = 'door';
const PAGE = '/door';
/** A network that takes longer is as good as none for somebody at a door. */
const WAIT_MS = 4_000;
/** Files of the build and public photos: their names change with their content, so a stored one is never stale. */
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

/** Stores the page as it is now, the files that it names, and those that the open page has used. */
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
  // Last: the page counts only with all its files.
  await cache.put(PAGE, page);
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url);
    if (pathname !== PAGE && !files.has(pathname + search)) await cache.delete(url);
  }
}

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

async function openFile(request, path) {
  const kept = await (await caches.open(CACHE)).match(path, { ignoreVary: true });
  return kept ?? fetch(request);
}
