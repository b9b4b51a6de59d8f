import { PageError } from '../page/page-error.ts';
import type { PageEvent, Request } from './page-protocol.ts';
import type { IoEvent, Peripheral, PeripheralIo } from './ports.ts';

/** What an open peripheral needs of its session. */
export interface OpenOptions<P extends Peripheral> {
  /** Number by which the page knows it. */
  device: number;
  peripheral: P;
  /** Number by which the program knows it. */
  handle: number;
  io: PeripheralIo;
  /** Sends an event to the page; resolves when the page has got it. */
  emit: (event: PageEvent) => Promise<void>;
}

/** A call whose name begins with the kind. */
export type RequestOf<K extends string> = Extract<Request, { call: `${K}.${string}` }>;

/** A peripheral that a page has open. */
export abstract class OpenDevice<P extends Peripheral = Peripheral> {
  readonly #options: OpenOptions<P>;
  #isClosed = false;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(options: OpenOptions<P>) {
    this.#options = options;
  }

  get device(): number {
    return this.#options.device;
  }

  get peripheral(): P {
    return this.#options.peripheral;
  }

  get handle(): number {
    return this.#options.handle;
  }

  /**
   * Does a call of the page, other than opening and closing.
   * @throws PageError
   */
  abstract perform(request: Request): Promise<object>;

  /** Takes an event of the program, other than `closed`. */
  abstract take(event: IoEvent): void;

  /** Opens the device node. @throws PageError */
  async open(fields: object = {}): Promise<void> {
    this.#opening = this.command('open', { ...fields, node: this.peripheral.node });
    await this.#opening;
  }

  /** Closes the device node. Does not reject: a program that does not close it ends with its service. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { io, handle } = this.#options;
    // The program knows the handle only when it is open.
    await this.#opening.catch(() => undefined);
    await io.call('close', { handle }).catch(() => undefined);
  }

  /** The program has closed it. */
  ended(): void {
    this.#isClosed = true;
  }

  /** @throws PageError */
  protected async command(command: string, fields: object = {}): Promise<Record<string, unknown>> {
    const { io, handle } = this.#options;
    if (this.#isClosed) throw new PageError('InvalidStateError', 'The device is not open.');
    return await io.call(command, { ...fields, handle });
  }

  protected async emit(event: PageEvent): Promise<void> {
    await this.#options.emit(event);
  }
}
