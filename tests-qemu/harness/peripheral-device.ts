/** What the tests of peripherals ask of the device, as a host does, and the pages that they display. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import { Value } from 'typebox/value';
import { type Peripheral, Peripherals } from '../../agent/src/resources/peripherals/schema.ts';
import { openSocket, type SocketChannel } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';

/** Time limit for a peripheral to come or go, and for a page, in ms. A program is started on an emulated processor. */
export const WAIT_MS = 90_000;
const TOPIC = 'peripherals_changed';
/** A call of a page fails with one of these when its device is taken away. */
const GONE = ['AbortError', 'InvalidStateError', 'NetworkError', 'NotAllowedError', 'NotFoundError'];

/** Changes the configuration, which must be live; null: as on a new device. */
export async function configureDevices(
  device: Device,
  devices: Record<string, unknown> | null,
): Promise<void> {
  const applied = field(await device.act('PATCH', '/config', { devices }), 'applied');
  assert.ok(typeof applied === 'object' && applied !== null);
  assert.deepEqual(
    Object.values(applied).filter((each) => each !== 'live'),
    [],
  );
}

/** What `GET /device/peripherals` says. */
export async function peripherals(device: Device): Promise<Peripherals> {
  const list = await device.get('/device/peripherals');
  assert.ok(Value.Check(Peripherals, list), JSON.stringify(list));
  return list;
}

/** The events about peripherals. Each has the whole list. */
export class PeripheralView {
  readonly #device: Device;
  readonly #socket: SocketChannel;
  #last: Peripherals | undefined;

  static async open(device: Device): Promise<PeripheralView> {
    return new PeripheralView(device, await openSocket(`${device.api.replace('http', 'ws')}/events`));
  }

  private constructor(device: Device, socket: SocketChannel) {
    this.#device = device;
    this.#socket = socket;
    socket.socket.on('message', (data) => {
      const frame: unknown = JSON.parse(String(data));
      const payload = field(frame, 'payload');
      if (field(frame, 'topic') === TOPIC && Value.Check(Peripherals, payload)) this.#last = payload;
    });
    socket.send({ type: 'subscribe', topics: [TOPIC] });
  }

  /** Waits until an event tells of a peripheral like this one, and a request says the same of it. */
  async has(what: string, isLike: (peripheral: Peripheral) => boolean): Promise<Peripheral> {
    let listed: Peripheral | undefined;
    return await waitFor(
      async () => {
        const told = this.#last?.peripherals.find(isLike);
        if (!told) return undefined;
        listed = (await peripherals(this.#device)).peripherals.find(({ id }) => id === told.id);
        return isDeepStrictEqual(listed, told) && told;
      },
      { timeoutMs: WAIT_MS, what: `an event with ${what}`, intervalMs: 200 },
    ).catch((error: unknown) => {
      const texts = [String(error), JSON.stringify(this.#last), JSON.stringify(listed)];
      throw new Error(`${texts[0]}; the last event is ${texts[1]}, and a request says ${texts[2]}`);
    });
  }

  /** Waits until an event tells of no peripheral like this one. */
  async hasNot(what: string, isLike: (peripheral: Peripheral) => boolean): Promise<void> {
    await waitFor(() => this.#last !== undefined && !this.#last.peripherals.some(isLike), {
      timeoutMs: WAIT_MS,
      what: `an event without ${what}`,
    });
  }

  async close(): Promise<void> {
    await this.#socket.close();
  }
}

/** Recognises the peripherals of a device of the lab. */
export const isOf =
  ({ vendor, product }: { vendor: number; product: number }, kind: Peripheral['kind']) =>
  (peripheral: Peripheral): boolean =>
    peripheral.kind === kind && peripheral.vendor_id === vendor && peripheral.product_id === product;

/** A page of peripheral-pages/ as HTML with its script. */
export async function peripheralPage(
  name: 'hid' | 'serial' | 'usb' | 'nfc' | 'libraries' | 'hostile',
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./peripheral-pages/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    logLevel: 'warning',
  });
  const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
  return `<!doctype html><meta charset="utf-8"><title>${name}</title><script>${script}</script>`;
}

/** A page around a frame, in which it has a call done. `frameOutcome` is its outcome. */
export function framePage(url: string, call: string): string {
  return `<!doctype html><title>frame</title><script>
    addEventListener('message', ({ data, source }) => {
      if (data === 'ready') source.postMessage('${call}', '*');
      else if (data.outcome) window.frameOutcome = data.outcome;
    });
  </script><iframe src="${url}"></iframe>`;
}

/** Waits for the outcome of a call in the frame of the displayed {@link framePage}. */
export async function frameOutcome(device: Device): Promise<unknown> {
  return await waitFor(async () => (await device.runScript('window.frameOutcome')) ?? undefined, {
    timeoutMs: WAIT_MS,
    what: 'an answer of the frame',
  });
}

/** Displays a page and waits until it is loaded. */
export async function showPage(device: Device, url: string): Promise<void> {
  await device.act('POST', '/display/navigate', { url });
  await device.waitForDisplay((state) => state.url === url && !state.loading, `${url} to be loaded`);
}

/** The arguments of a call as JavaScript. */
const argumentsOf = (args: readonly unknown[]): string => args.map((each) => JSON.stringify(each)).join(', ');

/** Calls a function of the displayed page and gives its result. */
export async function call(device: Device, name: string, ...args: unknown[]): Promise<unknown> {
  return await device.runScript(`await page.${name}(${argumentsOf(args)})`);
}

/** The name of the error with which a call of the displayed page fails. */
export async function errorOf(device: Device, name: string, ...args: unknown[]): Promise<unknown> {
  const all = argumentsOf([name, ...args]);
  const outcome = await device.runScript(`await outcomeOf(${all})`);
  return field(outcome, 'error') ?? outcome;
}

/** Lets the displayed page open its device, which may just have come or been closed. */
export async function openSoon(device: Device, ...args: unknown[]): Promise<void> {
  await waitFor(
    async () => {
      const outcome = await errorOf(device, 'open', ...args);
      if (typeof outcome === 'string') throw new Error(outcome);
      return true;
    },
    { timeoutMs: WAIT_MS, what: 'the page to open its device', intervalMs: 300 },
  );
}

/** Starts a call in the displayed page; {@link takenAway} says how it ended. */
export async function begin(device: Device, name: string, ...args: unknown[]): Promise<void> {
  await device.runScript(`begin(${argumentsOf([name, ...args])})`);
}

/** Waits until the call that was begun has failed because its device was taken away, and until the device is closed. */
export async function takenAway(device: Device): Promise<void> {
  const outcome = await device.runScript('await ended()');
  assert.ok(GONE.includes(String(field(outcome, 'error'))), JSON.stringify(outcome));
  await waitFor(async () => (await call(device, 'isOpen')) === false, {
    timeoutMs: WAIT_MS,
    what: 'the page to see its device closed',
  });
}

/** Waits for an event of the page. */
export async function waitForPageEvent(device: Device, event: string): Promise<void> {
  await waitFor(async () => await device.runScript(`events.includes(${JSON.stringify(event)})`), {
    timeoutMs: WAIT_MS,
    what: `the page's event "${event}"`,
  }).catch(async (error: unknown) => {
    throw new Error(`${String(error)}; the events are ${JSON.stringify(await device.runScript('events'))}`);
  });
}

/** Asserts that the displayed page finds no device. */
export async function findsNothing(device: Device, why: string): Promise<void> {
  const found = await call(device, 'found');
  assert.ok(
    found === null || (Array.isArray(found) && found.length === 0),
    `${why}: ${JSON.stringify(found)}`,
  );
}

/** Kills every process that has a device node open; the lab has none. */
export async function killUserOf(device: Device, node: string): Promise<void> {
  const killed = await device.shell.ok(
    `for fd in $(find /proc/[0-9]*/fd -lname ${node} 2>/dev/null); do
      pid=\${fd#/proc/}; pid=\${pid%%/*}
      kill -KILL "$pid" && tr '\\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null; echo killed "$pid"
    done`,
  );
  assert.match(killed, /killed \d/, `nothing had ${node} open`);
}

/** Resident memory of the agent, in MiB. */
export async function agentMemory({ shell }: Device): Promise<number> {
  const kib = await shell.ok(
    "awk '/^VmRSS/ { print $2 }' /proc/$(systemctl show -P MainPID vitrine-agent)/status",
  );
  return Number(kib) / 1024;
}
