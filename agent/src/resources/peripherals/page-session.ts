import { errorMessage } from '../../base/system-error.ts';
import { PageError } from '../page/page-error.ts';
import type { OpenDevice } from './open-device.ts';
import { OpenHid } from './open-hid.ts';
import { OpenSerial } from './open-serial.ts';
import { OpenUsb } from './open-usb.ts';
import { pageDevice } from './page-device.ts';
import type { Answer, PageEvent, Request } from './page-protocol.ts';
import type { PageTags } from './page-tags.ts';
import { isReachable, type Policy } from './policy.ts';
import type { GadgetIdentity, IoEvent, Kind, Peripheral, PeripheralIo } from './ports.ts';

/** Peripherals that a page can have open at a time. */
const MAX_OPEN = 8;
/** Peripherals that one document gets numbers for; more than anybody plugs in while a page is displayed. */
const MAX_NUMBERS = 10_000;

/** What decides about the peripherals of a page, as it is now. */
export interface Rules {
  policy: Policy;
  gadget: GadgetIdentity | undefined;
  peripherals: readonly Peripheral[];
}

export interface SessionOptions {
  /** Of the page, as the browser knows it. */
  origin: string;
  rules: () => Rules;
  /** Reads what is plugged in; `refresh` is called when the rules have it. Rejects if it cannot be read. */
  reread: () => Promise<void>;
  io: Readonly<Record<Kind, PeripheralIo>>;
  /** Number for the next peripheral that is opened. */
  nextHandle: () => number;
  tags: Pick<PageTags, 'perform' | 'refresh' | 'end'>;
  /** Sends an event to the page; resolves when the page has got it, or cannot any more. Does not reject. */
  emit: (event: PageEvent) => Promise<void>;
  /** A peripheral was opened or closed. */
  changed: () => void;
}

/** What one document does with peripherals, from the opening of its channel until it is left. */
export class PageSession {
  readonly #options: SessionOptions;
  /** Numbers of the peripherals that the page has seen, by `instance`. */
  readonly #numbers = new Map<string, number>();
  #lastNumber = 0;
  readonly #forgotten = new Set<string>();
  /** Kinds whose plugging in and out the page is told. */
  readonly #followed = new Set<Kind>();
  /** What the page knows of these kinds, by number. */
  readonly #known = new Map<number, Peripheral>();
  /** By number. */
  readonly #open = new Map<number, OpenDevice>();
  /** Those that are being opened, or whose node may belong to another device by now. */
  readonly #opening = new Set<OpenDevice>();
  #hasEnded = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#options.origin;
  }

  /** The peripherals that are open, or being opened. */
  get opened(): readonly Peripheral[] {
    return [...this.#open.values()].map(({ peripheral }) => peripheral);
  }

  /** Does a request of the page. Never rejects. */
  async answer(request: Request): Promise<Answer> {
    const { id } = request;
    try {
      return { id, result: await this.#perform(request) };
    } catch (error) {
      const name = error instanceof PageError ? error.name : 'OperationError';
      return { id, error: { name, message: errorMessage(error) } };
    }
  }

  /** The rules have changed, or something was plugged in or unplugged: closes what is not allowed any more. */
  refresh(): void {
    for (const open of [...this.#open.values()]) {
      const now = this.#reachable().find(({ instance }) => instance === open.peripheral.instance);
      const mustGiveBack =
        open instanceof OpenUsb && open.hasDetached && !this.#options.rules().policy.usb.allow_driver_detach;
      if (!now || mustGiveBack)
        this.#drop(
          open,
          now ? 'The rules have changed.' : 'The device is not there or not allowed any more.',
        );
    }
    this.#options.tags.refresh();
    this.#tellChanges();
  }

  /** Takes an event of the program that drives peripherals of this kind. */
  take(kind: Kind, event: IoEvent): void {
    for (const open of this.#open.values()) {
      if (open.peripheral.kind !== kind || open.handle !== event.handle) continue;
      if (event.event === 'closed') {
        open.ended();
        this.#drop(open, event.reason);
      } else if (!this.#opening.has(open)) open.take(event);
      return;
    }
  }

  /** The document was left: closes everything. */
  end(): void {
    this.#hasEnded = true;
    this.#options.tags.end();
    for (const open of this.#open.values()) void open.close();
    this.#open.clear();
    this.#options.changed();
  }

  async #perform(request: Request): Promise<object> {
    if (this.#hasEnded) throw new PageError('AbortError', 'The page was left.');
    switch (request.call) {
      case 'list':
        return this.#list(request.kind);
      case 'forget':
        return await this.#forget(request.device);
      case 'hid.open':
      case 'usb.open':
        return await this.#openDevice(request.device, request.call === 'hid.open' ? 'hid' : 'usb');
      case 'serial.open': {
        // What else the page has put there is none of the program's business.
        const { baudRate, dataBits, stopBits, parity, flowControl } = request.options;
        const options = { baudRate, dataBits, stopBits, parity, flowControl };
        return await this.#openDevice(request.device, 'serial', options);
      }
      case 'hid.close':
      case 'serial.close':
      case 'usb.close':
        return await this.#close(request.device);
      case 'nfc.scan':
      case 'nfc.stop':
      case 'nfc.write':
      case 'nfc.abort_write':
      case 'nfc.transceive':
        return await this.#options.tags.perform(request);
      default: {
        const open = this.#open.get(request.device);
        if (!open || this.#opening.has(open) || !request.call.startsWith(`${open.peripheral.kind}.`)) {
          throw new PageError('InvalidStateError', 'The device is not open.');
        }
        return await open.perform(request);
      }
    }
  }

  /** What the page may open now. */
  #reachable(): readonly Peripheral[] {
    const { policy, gadget, peripherals } = this.#options.rules();
    return peripherals.filter(
      (each) =>
        !this.#forgotten.has(each.instance) && isReachable(policy, gadget, this.#options.origin, each),
    );
  }

  #numberOf(peripheral: Peripheral): number {
    const known = this.#numbers.get(peripheral.instance);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(peripheral.instance, this.#lastNumber);
    return this.#lastNumber;
  }

  #list(kind: Kind): object {
    this.#followed.add(kind);
    const found = this.#reachable().filter((each) => each.kind === kind);
    const devices = found.flatMap((each) => {
      if (this.#lastNumber >= MAX_NUMBERS && !this.#numbers.has(each.instance)) return [];
      const number = this.#numberOf(each);
      this.#known.set(number, each);
      return [pageDevice(each, number)];
    });
    return { devices };
  }

  /** Tells the page what it can open now and could not before, and the other way round. */
  #tellChanges(): void {
    const now = this.#reachable().filter(({ kind }) => this.#followed.has(kind));
    const instances = new Set(now.map(({ instance }) => instance));
    for (const [number, peripheral] of this.#known) {
      if (instances.has(peripheral.instance)) continue;
      this.#known.delete(number);
      // One that is allowed again is another one for the page.
      this.#numbers.delete(peripheral.instance);
      this.#tell('disconnect', peripheral, number);
    }
    for (const peripheral of now) {
      if (this.#lastNumber >= MAX_NUMBERS && !this.#numbers.has(peripheral.instance)) return;
      const number = this.#numberOf(peripheral);
      if (this.#known.has(number)) continue;
      this.#known.set(number, peripheral);
      this.#tell('connect', peripheral, number);
    }
  }

  #tell(event: 'connect' | 'disconnect', peripheral: Peripheral, number: number): void {
    void this.#options.emit({ event, device: pageDevice(peripheral, number) });
  }

  async #forget(number: number): Promise<object> {
    for (const [instance, known] of this.#numbers) if (known === number) this.#forgotten.add(instance);
    this.#known.delete(number);
    return await this.#close(number);
  }

  async #openDevice(number: number, kind: Kind, options: object = {}): Promise<object> {
    const peripheral = this.#reachable().find(
      (each) => each.kind === kind && this.#numbers.get(each.instance) === number,
    );
    if (!peripheral) throw new PageError('NotFoundError', 'The device is not there, or not allowed.');
    if (this.#open.has(number)) throw new PageError('InvalidStateError', 'The device is open already.');
    if (this.#open.size >= MAX_OPEN) {
      throw new PageError('NetworkError', `A page can have ${MAX_OPEN} devices open at a time.`);
    }
    const open = this.#create(peripheral, number);
    this.#open.set(number, open);
    this.#opening.add(open);
    // Its program is needed from now on.
    this.#options.changed();
    try {
      await open.open(options);
      // The kernel uses the names of nodes again. One that is still there was there when its node was opened; for another
      // one, `refresh` has closed the node.
      await this.#options.reread();
    } catch (error) {
      void open.close();
      this.#remove(open);
      throw error;
    } finally {
      this.#opening.delete(open);
    }
    // Meanwhile the page was left, the rules have changed, or something else was plugged in. Then it was closed, as soon
    // as it was open.
    if (this.#open.get(number) !== open)
      throw new PageError('AbortError', 'The device was closed meanwhile.');
    return {};
  }

  #create(peripheral: Peripheral, device: number): OpenDevice {
    const { io, nextHandle, rules, reread, emit } = this.#options;
    const common = { device, handle: nextHandle(), io: io[peripheral.kind], emit };
    switch (peripheral.kind) {
      case 'hid':
        return new OpenHid({ ...common, peripheral });
      case 'serial':
        return new OpenSerial({ ...common, peripheral });
      case 'usb':
        return new OpenUsb({
          ...common,
          peripheral,
          policy: () => rules().policy,
          gadget: () => rules().gadget,
          latest: () => {
            const found = rules().peripherals.find(({ instance }) => instance === peripheral.instance);
            return found?.kind === 'usb' ? found : undefined;
          },
          reread,
        });
    }
  }

  async #close(number: number): Promise<object> {
    const open = this.#open.get(number);
    if (!open) return {};
    await open.close();
    this.#remove(open);
    return {};
  }

  /** Closes a device that the page did not close, and says so to the page. */
  #drop(open: OpenDevice, reason: string): void {
    void open.close();
    this.#remove(open);
    void this.#options.emit({ event: 'closed', device: open.device, reason });
  }

  #remove(open: OpenDevice): void {
    if (this.#open.get(open.device) !== open) return;
    this.#open.delete(open.device);
    this.#options.changed();
  }
}
