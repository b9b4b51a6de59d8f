import { PageError } from '../page/page-error.ts';
import { OpenDevice, type OpenOptions, type RequestOf } from './open-device.ts';
import { claimOf, controlRefusal, type Policy } from './policy.ts';
import type { GadgetIdentity, IoEvent, UsbPeripheral } from './ports.ts';
import type { UsbEndpoint } from './usb-descriptors.ts';

/** IN transfers that wait at a time. */
const MAX_READS = 16;

export interface OpenUsbOptions extends OpenOptions<UsbPeripheral> {
  policy: () => Policy;
  gadget: () => GadgetIdentity | undefined;
  /** The device as it was read last; undefined if it is gone. */
  latest: () => UsbPeripheral | undefined;
  /** Reads what is plugged in, with the drivers. */
  reread: () => Promise<void>;
}

/** A USB device that a page has open. */
export class OpenUsb extends OpenDevice<UsbPeripheral> {
  readonly #policy: () => Policy;
  readonly #gadget: () => GadgetIdentity | undefined;
  readonly #latest: () => UsbPeripheral | undefined;
  readonly #reread: () => Promise<void>;
  /** Interfaces that are claimed, by number, and whether a driver was detached for it. */
  readonly #claimed = new Map<number, { detached: boolean }>();
  /** Claims under way for which a driver is detached. */
  #detaching = 0;
  /** Value of the configuration that the page has selected. */
  #selected: number | undefined;
  /** Another configuration is being selected: which interfaces a number means is not known. */
  #isChanging = false;
  #reads = 0;

  constructor(options: OpenUsbOptions) {
    super(options);
    this.#policy = options.policy;
    this.#gadget = options.gadget;
    this.#latest = options.latest;
    this.#reread = options.reread;
  }

  /** Whether a kernel driver was detached for the page, or is being detached. */
  get hasDetached(): boolean {
    return this.#detaching > 0 || [...this.#claimed.values()].some(({ detached }) => detached);
  }

  override async perform(request: RequestOf<'usb'>): Promise<object> {
    if (this.#isChanging) {
      throw new PageError('InvalidStateError', 'Another configuration is being selected.');
    }
    switch (request.call) {
      case 'usb.select_configuration':
        return await this.#selectConfiguration(request.value);
      case 'usb.claim_interface':
        return await this.#claim(request.interface);
      case 'usb.release_interface':
        this.#requireClaimed(request.interface);
        await this.command('release_interface', { interface: request.interface });
        this.#claimed.delete(request.interface);
        return {};
      case 'usb.select_alternate':
        this.#requireClaimed(request.interface);
        await this.command('select_alternate', {
          interface: request.interface,
          alternate: request.alternate,
        });
        return {};
      case 'usb.control_in':
        this.#checkControl(request.setup, 'in');
        return await this.command('control_in', { setup: request.setup, length: request.length });
      case 'usb.control_out':
        this.#checkControl(request.setup, 'out');
        return await this.command('control_out', { setup: request.setup, data: request.data });
      case 'usb.transfer_in':
        return await this.#read(request.endpoint, request.length);
      case 'usb.transfer_out':
        this.#requireEndpoint(request.endpoint, 'out');
        return await this.command('transfer_out', { endpoint: request.endpoint, data: request.data });
      case 'usb.clear_halt':
        this.#requireEndpoint(request.endpoint, request.direction);
        await this.command('clear_halt', { direction: request.direction, endpoint: request.endpoint });
        return {};
      case 'usb.reset':
        await this.command('reset');
        return {};
      default:
        throw new PageError('NotSupportedError', 'The device does not know this call.');
    }
  }

  override take(_event: IoEvent): void {}

  async #selectConfiguration(value: number): Promise<object> {
    if (!this.peripheral.configurations.some((each) => each.value === value)) {
      throw new PageError('NotFoundError', `The device has no configuration ${value}.`);
    }
    const present = this.#present();
    if (value === present.configuration) return {};
    // Setting it takes the interfaces away from the drivers that use them.
    if (present.drivers.size > 0) {
      throw new PageError('NetworkError', 'Drivers of the system use the present configuration.');
    }
    this.#isChanging = true;
    try {
      await this.command('select_configuration', { value });
      this.#selected = value;
      this.#claimed.clear();
      // Drivers of the system may have taken interfaces of it.
      await this.#reread();
    } finally {
      this.#isChanging = false;
    }
    return {};
  }

  async #claim(number: number): Promise<object> {
    if (this.#claimed.has(number)) return {};
    const rule = claimOf(this.#policy(), this.#gadget(), this.#present(), number);
    if ('refusal' in rule) throw new PageError(...rule.refusal);
    const { detach } = rule;
    this.#detaching += detach ? 1 : 0;
    try {
      await this.command('claim_interface', { interface: number, detach });
      this.#claimed.set(number, { detached: detach });
    } finally {
      this.#detaching -= detach ? 1 : 0;
    }
    return {};
  }

  async #read(endpoint: number, length: number): Promise<object> {
    this.#requireEndpoint(endpoint, 'in');
    if (this.#reads >= MAX_READS) {
      throw new PageError('OperationError', `At most ${MAX_READS} IN transfers can wait.`);
    }
    this.#reads += 1;
    try {
      return await this.command('transfer_in', { endpoint, length });
    } finally {
      this.#reads -= 1;
    }
  }

  #checkControl(setup: Parameters<typeof controlRefusal>[2], direction: 'in' | 'out'): void {
    const refusal = controlRefusal(this.#present(), new Set(this.#claimed.keys()), setup, direction);
    if (refusal) throw new PageError(...refusal);
  }

  /** The device with the configuration that the page has selected, and the drivers that use it. */
  #present(): UsbPeripheral {
    const latest = this.#latest() ?? this.peripheral;
    const configuration = this.#selected ?? latest.configuration;
    const drivers = latest.configuration === configuration ? latest.drivers : new Map<number, string>();
    return { ...this.peripheral, configuration, drivers };
  }

  #requireClaimed(number: number): void {
    if (this.#claimed.has(number)) return;
    throw new PageError('InvalidStateError', `The interface ${number} is not claimed.`);
  }

  /** The endpoint has to be one of an interface that is claimed. */
  #requireEndpoint(number: number, direction: 'in' | 'out'): void {
    const { configuration, configurations } = this.#present();
    const active = configurations.find(({ value }) => value === configuration);
    const isClaimed = active?.interfaces.some(
      (each) =>
        this.#claimed.has(each.number) &&
        each.alternates.some(({ endpoints }) =>
          endpoints.some(
            (endpoint) => endpoint.number === number && endpoint.direction === direction && isPlain(endpoint),
          ),
        ),
    );
    if (isClaimed) return;
    const message = `No interface that is claimed has the endpoint ${number} (${direction}).`;
    throw new PageError('NotFoundError', message);
  }
}

/** Bulk and interrupt endpoints have the same transfers. */
function isPlain({ type }: UsbEndpoint): boolean {
  return type === 'bulk' || type === 'interrupt';
}
