import { state } from './state.js';
import { count } from './store.js';
import { playAndSeek } from './video.js';

const TIMEOUT_MS = 120_000;

function within(promise, what) {
  return Promise.race([
    promise,
    new Promise((_, reject) => setTimeout(() => reject(new Error(`${what} took too long`)), TIMEOUT_MS)),
  ]);
}

function check(condition, what) {
  if (!condition) throw new Error(what);
}

// This path is not in the bundle: only the service worker answers it.
async function askWorker() {
  return await (await fetch('/answered-by-the-worker')).json();
}

const PROOFS = {
  async fetch() {
    const response = await fetch('data/app.json');
    check(response.ok && response.headers.get('content-type')?.startsWith('application/json'), 'no JSON');
    const { version, proven } = await response.json();
    document.documentElement.style.setProperty('--proven', proven);
    return `version ${version}`;
  },
  async modules() {
    // A dynamic import, in addition to the static ones of main.js.
    const { show } = await import('./views/menu.js');
    check(typeof show === 'function' && import.meta.url.startsWith(location.origin), 'no module');
    return 'static and dynamic';
  },
  async secure() {
    check(isSecureContext, 'not a secure context');
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('menu'));
    return `secure context, digest of ${digest.byteLength} bytes`;
  },
  async storage() {
    localStorage.setItem('visits', String(Number(localStorage.getItem('visits') ?? 0) + 1));
    return `visit ${localStorage.getItem('visits')}, IndexedDB ${await count('visits')}`;
  },
  async assets() {
    const fonts = await document.fonts.load('16px Blocks', '■');
    check(fonts.length === 1 && fonts[0].status === 'loaded', 'no web font');
    const logo = document.querySelector('#logo');
    await logo.decode();
    check(logo.naturalWidth > 0, 'no image');
    return 'web font and SVG';
  },
  async routes(router) {
    // Both kinds of routing in a single-page app: fragments, and the history API.
    check(router.shown === '/status', 'not on the status view');
    history.pushState({ page: 2 }, '', '/menu/2');
    check(location.pathname === '/menu/2', 'the path did not change');
    const back = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
    history.back();
    await within(back, 'going back');
    check(location.pathname === '/', `back at ${location.pathname}`);
    return 'fragment and history';
  },
  async worker() {
    const { serviceWorker } = navigator;
    check(serviceWorker, 'no service workers');
    await serviceWorker.register('/sw.js');
    await within(serviceWorker.ready, 'the worker');
    if (!serviceWorker.controller) {
      await within(
        new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve, { once: true })),
        'the worker’s control',
      );
    }
    const { cached } = await askWorker();
    check(cached > 5, `${cached} files in the cache`);
    return `in control, ${cached} files in its cache`;
  },
  // After the worker, which counts the player's range requests.
  async video() {
    return await within(playAndSeek(document.querySelector('video'), 'media/clip.webm'), 'the video');
  },
  async ranges() {
    const ranged = async (file) => {
      const part = await fetch(file, { headers: { range: 'bytes=100-399' } });
      check(part.status === 206, `${file}: status ${part.status}`);
      check(/^bytes 100-399\/\d+$/.test(part.headers.get('content-range')), `${file}: wrong content-range`);
      return new Uint8Array(await part.arrayBuffer());
    };
    // A file that is deflated in the archive, whose bytes can be compared, and one that is stored.
    const whole = new Uint8Array(await (await fetch('style.css')).arrayBuffer());
    const part = await ranged('style.css');
    check(part.length === 300 && part.every((byte, i) => byte === whole[100 + i]), 'wrong bytes');
    check((await ranged('media/clip.webm')).length === 300, 'wrong length');
    const { mediaParts } = await askWorker();
    // The number depends on how much of the clip was loaded before the seek; it is 0 on a fast computer.
    return `206, the right bytes; ${mediaParts} parts for the player`;
  },
};

/** Runs all checks one after the other and stores the results in the state. */
export async function runProofs(router) {
  for (const [name, proof] of Object.entries(PROOFS)) {
    try {
      state.set(name, true, await proof(router));
    } catch (error) {
      state.set(name, false, String(error));
    }
  }
}
