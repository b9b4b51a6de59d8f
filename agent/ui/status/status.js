/** The status page: reads the API once, then follows its events. Inserts texts with textContent, never as HTML. */

const API = '/api/v1';
const TOPICS = ['display_state', 'network_changed', 'config_changed'];
const MAX_RETRY_MS = 10_000;
/** Delay before a screenshot: a page paints shortly after it has loaded. */
const PICTURE_DELAY_MS = 400;

const part = (id) => document.getElementById(id);

function show(id, text) {
  part(id).textContent = text;
  part(id).hidden = text === '';
}

async function ask(path) {
  const answer = await fetch(API + path, { cache: 'no-store', signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

const read = async (path) => (await ask(path)).json();

function showDevice({ name, serial, model, model_profile, version, slot }) {
  document.title = `${name} · Vitrine`;
  show('name', name);
  show('serial', serial);
  show('model', `${model} (${model_profile})`);
  show('version', version);
  show('slot', slot);
}

function showNetwork({ hostname, interfaces }) {
  show('hostname', hostname);
  const lines = interfaces.filter(({ addresses }) => addresses.length > 0);
  show(
    'addresses',
    lines.map(({ name, addresses }) => `${name}: ${addresses.join(', ')}`).join(' · ') || '—',
  );
}

function showHealth({ uptime_s, problems }) {
  const minutes = Math.floor(uptime_s / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  show('uptime', `${days > 0 ? `${days} d ` : ''}${hours} h ${minutes % 60} min`);
  const items = problems.map((problem) => {
    const item = document.createElement('li');
    item.textContent = problem;
    return item;
  });
  part('problems').replaceChildren(...items);
  part('problems').hidden = items.length === 0;
}

function showDisplay({ mode, url, bundle, resolution, rotation, screen_on, loading, error }) {
  const target = { url, bundle: `Bundle ${bundle}`, waiting: 'The waiting page' };
  show('target', target[mode] + (loading ? ' (loading)' : ''));
  show('trouble', error ? error.message : '');
  const turned = rotation ? `, turned by ${rotation}°` : '';
  show('mode', `${resolution ?? 'no mode'}${turned}, screen ${screen_on ? 'on' : 'off'}`);
  if (!loading) setTimeout(showPicture, PICTURE_DELAY_MS);
}

/** Draws the screenshot. An image element would show an earlier one again, as its address stays the same. */
async function showPicture() {
  const picture = part('picture');
  try {
    const answer = await ask('/display/screenshot');
    const image = await createImageBitmap(await answer.blob());
    picture.width = image.width;
    picture.height = image.height;
    picture.getContext('2d').drawImage(image, 0, 0);
    image.close();
    picture.hidden = false;
  } catch {
    picture.hidden = true;
  }
}

/** Loads every part separately, so that one which fails does not affect the others. */
function showAll() {
  const parts = {
    '/device': showDevice,
    '/network': showNetwork,
    '/device/health': showHealth,
    '/display': showDisplay,
  };
  for (const [path, showPart] of Object.entries(parts)) {
    read(path).then(showPart, () => undefined);
  }
}

const EVENTS = {
  display_state: showDisplay,
  network_changed: showNetwork,
  config_changed: () => read('/device').then(showDevice, () => undefined),
};

function follow(retryMs) {
  const socket = new WebSocket(`${location.origin.replace('http', 'ws')}${API}/events`);
  let next = Math.min(retryMs * 2, MAX_RETRY_MS);
  socket.onopen = () => {
    next = 500;
    show('link', 'connected');
    socket.send(JSON.stringify({ type: 'subscribe', topics: TOPICS }));
    showAll();
  };
  socket.onmessage = ({ data }) => {
    const { type, topic, payload } = JSON.parse(data);
    if (type === 'event') EVENTS[topic]?.(payload);
  };
  socket.onclose = () => {
    show('link', 'not connected');
    setTimeout(follow, next, next);
  };
}

showAll();
follow(500);
