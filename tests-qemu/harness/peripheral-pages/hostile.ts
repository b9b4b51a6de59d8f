/** A page that tries to reach more than it is allowed: its origin may use one HID device, which is not the one it wants. */
import { expose, present } from './tools.ts';

const events: string[] = [];
/** What went through the functions that the page has replaced. */
const caught: object[] = [];
const MOST_CAUGHT = 200;
const DEVICES = 30;
const AT_ONCE = 2000;
const progress = { made: 0, ended: 0 };
const STRANGE = [
  '',
  '{}',
  '[]',
  'null',
  '{"id":1}',
  '\ud800',
  '{"__proto__":{"device":1}}',
  '{"id":1e308,"call":"list"}',
];

/** Messages as the page would send them for a device that is not its own, with another origin. */
function forged(origin: string): string[] {
  const fields = { origin, url: `${origin}/`, channel: 1, kind: 'hid', report_id: 0, data: 'AQIDBAUGBwg=' };
  const calls = [
    'list',
    'hid.open',
    'hid.send_report',
    'hid.send_feature_report',
    'constructor',
    '__proto__',
  ];
  const numbers = Array.from({ length: DEVICES }, (_, device) => device);
  return numbers.flatMap((device) =>
    calls.map((call, at) => JSON.stringify({ id: 1000 * device + at, call, device, ...fields })),
  );
}

/** Sends text in every way in which a page can talk to what is around it. */
function shout(texts: readonly string[]): number {
  const webkit: unknown = Reflect.get(window, 'webkit');
  const handlers: unknown =
    typeof webkit === 'object' && webkit ? Reflect.get(webkit, 'messageHandlers') : undefined;
  const names = typeof handlers === 'object' && handlers ? Reflect.ownKeys(handlers) : [];
  for (const text of texts) {
    for (const name of names) {
      const handler: unknown = Reflect.get(handlers ?? {}, name);
      const post: unknown =
        typeof handler === 'object' && handler ? Reflect.get(handler, 'postMessage') : undefined;
      if (typeof post === 'function') Reflect.apply(post, handler, [text]);
    }
    window.dispatchEvent(new MessageEvent('message', { data: text, source: window }));
    for (const type of ['message', 'vitrine', 'device_message', 'peripherals']) {
      const event = new CustomEvent(type, { detail: text });
      document.dispatchEvent(event);
      navigator.hid?.dispatchEvent(new CustomEvent(type, { detail: text }));
    }
  }
  return names.length;
}

/** Replaces functions of an object by ones that keep what goes through them, and change the numbers of devices. */
function replace(holder: object, names: readonly string[], number: () => number): void {
  for (const name of names) {
    const original: unknown = Reflect.get(holder, name);
    if (typeof original !== 'function') continue;
    Reflect.defineProperty(holder, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]): unknown {
        for (const arg of [this, ...args]) {
          if (typeof arg !== 'object' || arg === null) continue;
          if (caught.length < MOST_CAUGHT) caught[caught.length] = arg;
          if (Object.hasOwn(arg, 'device') && typeof Reflect.get(arg, 'device') === 'number') {
            Reflect.set(arg, 'device', number());
          }
        }
        return Reflect.apply(original, this, args);
      },
    });
  }
}

/** Lets everything that the shims may use go through the page. */
function tamper(): void {
  let last = 0;
  const number = (): number => {
    last = (last + 1) % DEVICES;
    return last;
  };
  replace(JSON, ['stringify', 'parse'], number);
  replace(Promise.prototype, ['then', 'catch', 'finally'], number);
  replace(Map.prototype, ['get', 'set', 'has'], number);
  replace(Array.prototype, ['push', 'map', 'find', 'filter', 'forEach', 'splice', 'shift'], number);
  replace(EventTarget.prototype, ['addEventListener', 'dispatchEvent', 'removeEventListener'], number);
  replace(Function.prototype, ['bind'], number);
  replace(window, ['btoa', 'atob', 'postMessage', 'queueMicrotask', 'structuredClone'], number);
  for (const name of ['device', 'call', 'origin', 'channel', 'get', 'set', 'value']) {
    Reflect.defineProperty(Object.prototype, name, {
      configurable: true,
      get: () => undefined,
      set(value: unknown) {
        Reflect.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true });
      },
    });
  }
}

expose(
  {
    found: async () => ('hid' in navigator ? (await navigator.hid.getDevices()).length : null),
    /** Makes so many calls without waiting for any of them; `progress` says how far it is. */
    flood: async (count: number) => {
      const [device] = await navigator.hid.getDevices();
      const own = present(device, 'device');
      await own.open();
      const ended = (): void => void progress.ended++;
      for (let n = 0; n < count; n += 1) {
        const call =
          n % 3 === 0
            ? own.sendReport(0, Uint8Array.of(n, n >> 8, 0, 0, 0, 0, 0, 0))
            : n % 3 === 1
              ? own.receiveFeatureReport(0)
              : navigator.hid.getDevices();
        call.then(ended, ended);
        progress.made += 1;
        // Otherwise the page would count as hung.
        if (n % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
      }
    },
    progress: async () => progress,
    /** @returns the number of handlers of the browser that pages can see */
    forge: async (origin: string) => shout([...forged(origin), ...STRANGE]),
    /** Replaces `navigator.hid`, and what the shims may use, and then uses every device that it can. */
    tamper: async (origin: string) => {
      const { hid } = navigator;
      Reflect.defineProperty(navigator, 'hid', {
        configurable: true,
        get: () => ({ getDevices: async () => [] }),
      });
      tamper();
      const outcomes = await Promise.allSettled(
        Array.from({ length: DEVICES }, async () => {
          const [device] = await hid.getDevices();
          const own = present(device, 'device');
          if (!own.opened) await own.open();
          await own.sendReport(0, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
        }),
      );
      // Objects of the shims that were caught are tried as they are, and as their own constructors.
      for (const each of caught.slice()) {
        for (const key of Reflect.ownKeys(each).slice(0, 50)) {
          const value: unknown = Reflect.get(each, key);
          if (typeof value === 'function' && /send|post|request|call/i.test(String(key))) {
            for (const text of forged(origin).slice(0, 12)) {
              try {
                Reflect.apply(value, each, [JSON.parse(text)]);
                Reflect.apply(value, each, [text]);
              } catch {
                // It is not one that takes such arguments.
              }
            }
          }
        }
        try {
          new (Object.getPrototypeOf(each).constructor)();
        } catch {
          // It cannot be made by pages.
        }
      }
      return outcomes.map(({ status }) => status).filter((status) => status === 'fulfilled').length;
    },
    /** What a frame of another origin gets of the page around it. */
    parents: async () => {
      const names: string[] = [];
      for (const name of ['navigator', 'page', 'webkit', 'vitrine', 'document']) {
        try {
          names.push(`${name} ${typeof Reflect.get(window.parent, name)}`);
        } catch (error) {
          names.push(`${name} ${error instanceof Error ? error.name : String(error)}`);
        }
      }
      return names;
    },
  },
  events,
);
