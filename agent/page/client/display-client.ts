/** The page's end of the channel (browser/PROTOCOL.md: The page's channels; docs/pages.md). */
import type { Vitrine } from '../display-client.d.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_LEVELS = 200;
const MAX_WAITING = 1024;
const MAX_CHARACTERS = 8 * MAX_BYTES;

interface Waiting {
  text: string;
  done: (isTaken: boolean) => void;
}

/** Whether JSON is nested deeper than the device takes. */
function isTooDeep(json: string): boolean {
  let level = 0;
  let isInText = false;
  for (let at = 0; at < json.length && level <= MAX_LEVELS; at += 1) {
    const character = json[at];
    if (character === '"') isInText = !isInText;
    else if (isInText && character === '\\') at += 1;
    else if (!isInText && (character === '[' || character === '{')) level += 1;
    else if (!isInText && (character === ']' || character === '}')) level -= 1;
  }
  return level > MAX_LEVELS;
}

function createClient(): Vitrine {
  let handler: Vitrine['onmessage'] = null;
  let isOpen = false;
  let isAsked = false;
  const waiting: Waiting[] = [];
  let characters = 0;

  /** @returns whether the event was handled (for `vitrine-send`: taken) */
  const tell = (type: string, detail?: string): boolean =>
    !dispatchEvent(new CustomEvent(type, { cancelable: true, detail }));

  const open = (): boolean => {
    isAsked ||= tell('vitrine-open');
    return isAsked;
  };

  const drop = (): void => {
    for (const { done } of waiting.splice(0)) done(false);
    characters = 0;
  };

  /** Sends queued messages until the device has no room. */
  const flush = (): void => {
    let next = waiting[0];
    while (isOpen && next && tell('vitrine-send', next.text)) {
      waiting.shift();
      characters -= next.text.length;
      next.done(true);
      next = waiting[0];
    }
  };

  const send = async (value: unknown): Promise<boolean> => {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError('The value cannot be written as JSON.');
    if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES) {
      throw new RangeError('A message has at most 1 MiB.');
    }
    if (isTooDeep(text)) throw new RangeError(`A message has at most ${MAX_LEVELS} levels.`);
    if (waiting.length >= MAX_WAITING || characters + text.length > MAX_CHARACTERS) {
      throw new RangeError('Too many messages wait: the hosts do not read.');
    }
    if (!open()) return false;
    return await new Promise((done) => {
      waiting.push({ text, done });
      characters += text.length;
      flush();
    });
  };

  addEventListener('vitrine-ready', () => {
    isOpen = isAsked;
    flush();
  });
  addEventListener('vitrine-message', (event) => {
    if (event instanceof CustomEvent) handler?.(JSON.parse(event.detail));
  });

  return {
    get open() {
      return isOpen;
    },
    get onmessage() {
      return handler;
    },
    set onmessage(next) {
      handler = next;
      if (next) open();
    },
    send,
    close() {
      tell('vitrine-close');
      isOpen = isAsked = false;
      drop();
    },
  };
}

/** Whether the device has put `nfc` there, for a page that may use it. */
function hasOnlyNfc(value: object | undefined): boolean {
  return value !== undefined && 'nfc' in value && !('send' in value);
}

// Once, also when a page loads the file twice.
if (!('vitrine' in window) || hasOnlyNfc(window.vitrine)) {
  const value = Object.assign(createClient(), window.vitrine);
  Object.defineProperty(window, 'vitrine', { value, configurable: false });
}
