// Network first: the "network" is the device itself, so it is always available, and a replaced bundle is shown at once.
// The cache is only used when the device does not answer.
const CACHE = 'menu';
const FILES = [
  '/',
  '/style.css',
  '/js/main.js',
  '/js/proofs.js',
  '/js/router.js',
  '/js/state.js',
  '/js/store.js',
  '/js/video.js',
  '/js/views/menu.js',
  '/js/views/status.js',
  '/data/app.json',
  '/data/menu.json',
  '/images/logo.svg',
  '/fonts/blocks.ttf',
];

/** Number of range requests of players. */
let mediaParts = 0;

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || request.method !== 'GET') return;
  if (url.pathname === '/answered-by-the-worker') {
    event.respondWith(report());
  } else if (url.pathname.startsWith('/media/')) {
    // Too big for the cache, and players request ranges, which the cache cannot store.
    if (request.headers.has('range') && request.destination === 'video') mediaParts++;
  } else {
    event.respondWith(networkFirst(request));
  }
});

async function report() {
  const cache = await caches.open(CACHE);
  return Response.json({ cached: (await cache.keys()).length, mediaParts });
}

async function networkFirst(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
