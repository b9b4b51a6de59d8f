import { access } from 'node:fs/promises';
import type { Records } from '../base/limited-log.ts';
import { errorMessage } from '../base/system-error.ts';
import type { Watch } from '../base/watch.ts';
import type { Valid } from '../validation/validator.ts';
import { AcrField, type PcscReader } from './acr122u/field.ts';
import { PcscReaders, type PcscReadersOptions } from './acr122u/pcsc-readers.ts';
import { readUsbDevices } from './acr122u/reader-id.ts';
import { CommandError, ReaderError, ReaderGone } from './errors.ts';
import type { Field } from './field.ts';
import { openI2c } from './pn532/i2c.ts';
import { openPn532 } from './pn532/reader.ts';
import { openSpi } from './pn532/spi.ts';
import type { Backend, Readers as ReadersEvent, Settings } from './protocol.ts';
import { Slot, type SlotListener } from './slot.ts';

/** Most readers at USB ports: those that are gone for longest make room. */
export const MAX_USB_READERS = 16;

/** A reader that the settings name. */
export interface Candidate {
  readonly id: string;
  readonly backend: Backend;
  open(): Promise<Field>;
}

export interface ReadersOptions {
  listener: SlotListener;
  watch: Watch;
  log: Records;
  /** For tests. */
  candidates?: (settings: Settings, watch: Watch) => Candidate[];
  pcsc?: Pick<PcscReadersOptions, 'createClient'>;
}

/** The readers that there should be by the settings, and those that are there, in a fixed order. */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #slots = new Map<string, Slot>();
  /** What still ends, by the reader's id. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #connected = new Map<string, PcscReader>();
  #settings: Settings | undefined;
  #pcsc: PcscReaders | undefined;
  #stays = 0;

  constructor(options: ReadersOptions) {
    this.#options = options;
  }

  /** The content of the event `readers`. */
  get state(): Omit<Valid<typeof ReadersEvent>, 'event'> {
    const isAuto = this.#settings?.backend === 'auto';
    const listed = [...this.#slots.values()].filter((slot) => !isAuto || slot.wasPresent);
    const readers = listed.map(({ state }) => state);
    const problem = this.#settings?.backend === 'acr122u' ? this.#usbProblem(readers.length) : undefined;
    return { readers, ...(problem === undefined ? {} : { problem: problem.slice(0, 512) }) };
  }

  #usbProblem(readers: number): string | undefined {
    return this.#pcsc?.problem ?? (readers === 0 ? 'No ACR122U is found.' : undefined);
  }

  get slots(): Iterable<Slot> {
    return this.#slots.values();
  }

  /** @throws CommandError */
  slot(id: string): Slot {
    const slot = this.#slots.get(id);
    if (!slot) throw new CommandError('no_reader', 'There is no such reader.');
    return slot;
  }

  /** Only what differs from before has an effect. */
  configure(settings: Settings): void {
    const { candidates = candidatesOf, watch } = this.#options;
    const isOther = settings.backend !== this.#settings?.backend;
    this.#settings = settings;
    const wanted = candidates(settings, watch);
    const usesPcsc = settings.backend === 'auto' || settings.backend === 'acr122u';
    for (const [id, slot] of this.#slots) {
      const stays = slot.state.backend === 'acr122u' ? usesPcsc : wanted.some((one) => one.id === id);
      if (stays) {
        if (isOther) slot.forget();
        slot.configure(fieldSettings(settings));
      } else this.#remove(slot);
    }
    for (const { id, backend, open } of wanted) {
      if (!this.#slots.has(id)) this.#add(id, backend, open);
    }
    this.#sort(wanted);
    if (usesPcsc) this.#startPcsc();
    else this.#stopPcsc();
  }

  async stop(): Promise<void> {
    this.#stopPcsc();
    for (const slot of this.#slots.values()) this.#remove(slot);
    await Promise.all(this.#ending.values());
  }

  #add(id: string, backend: Backend, open: (wake: () => void) => Promise<Field>): void {
    if (!this.#settings) return;
    const { listener, log } = this.#options;
    const isUsb = backend === 'acr122u';
    const nextStay = (): number => ++this.#stays;
    const settings = fieldSettings(this.#settings);
    const slot = new Slot({
      id,
      backend,
      hasLight: isUsb,
      hasBuzzer: isUsb,
      open,
      settings,
      nextStay,
      listener,
      log,
    });
    this.#slots.set(id, slot);
    slot.start(this.#ending.get(id) ?? Promise.resolve());
  }

  #remove(slot: Slot): void {
    this.#slots.delete(slot.id);
    const ended = slot.stop().finally(() => {
      if (this.#ending.get(slot.id) === ended) this.#ending.delete(slot.id);
    });
    this.#ending.set(slot.id, ended);
  }

  /** PN532 on I2C, on SPI, then the others as they came. */
  #sort(wanted: readonly Candidate[]): void {
    for (const { id } of wanted.toReversed()) {
      const slot = this.#slots.get(id);
      if (!slot) continue;
      const others = [...this.#slots].filter(([other]) => other !== id);
      this.#slots.clear();
      this.#slots.set(id, slot);
      for (const [other, otherSlot] of others) this.#slots.set(other, otherSlot);
    }
  }

  #startPcsc(): void {
    if (this.#pcsc) return;
    const { listener, watch, log, pcsc } = this.#options;
    this.#pcsc = new PcscReaders({
      connected: (id, reader) => this.#connect(id, reader),
      changed: () => listener.changed(),
      usbDevices: readUsbDevices,
      watch,
      log,
      ...pcsc,
    });
    this.#pcsc.start();
  }

  #stopPcsc(): void {
    this.#pcsc?.stop();
    this.#pcsc = undefined;
    this.#connected.clear();
  }

  #connect(id: string, reader: PcscReader): void {
    this.#connected.set(id, reader);
    const known = this.#slots.get(id);
    if (known) {
      known.wake();
      return;
    }
    const usb = [...this.#slots.values()].filter(({ state }) => state.backend === 'acr122u');
    if (usb.length >= MAX_USB_READERS) {
      const gone = usb.find(({ isPresent }) => !isPresent);
      if (!gone) return;
      this.#connected.delete(gone.id);
      this.#remove(gone);
    }
    this.#add(id, 'acr122u', async (wake) => {
      const connected = this.#connected.get(id);
      if (!connected || connected.isGone) throw new ReaderGone('The reader is not connected.');
      connected.onChange = wake;
      return new AcrField(connected, this.#options.watch);
    });
  }
}

/** The PN532 readers that the settings name, in the order in which they are listed. */
export function candidatesOf({ backend, i2c, spi }: Settings, watch: Watch): Candidate[] {
  const address = i2c.address.toString(16).padStart(2, '0');
  const all: Candidate[] = [
    {
      id: `pn532-i2c-${i2c.bus}-${address}`,
      backend: 'pn532-i2c',
      open: () =>
        openAt(`/dev/i2c-${i2c.bus}`, `on I2C bus ${i2c.bus} at address 0x${address}`, () =>
          openI2c(i2c.bus, i2c.address, watch),
        ),
    },
    {
      id: `pn532-spi-${spi.bus}-${spi.cs}`,
      backend: 'pn532-spi',
      open: () =>
        openAt(`/dev/spidev${spi.bus}.${spi.cs}`, `on SPI bus ${spi.bus} with chip select ${spi.cs}`, () =>
          openSpi(spi.bus, spi.cs, watch),
        ),
    },
  ];
  return all.filter((candidate) => backend === 'auto' || backend === candidate.backend);
}

/** @throws ReaderError with a sentence for the operator */
async function openAt(path: string, place: string, open: () => ReturnType<typeof openI2c>): Promise<Field> {
  await access(path).catch((error: unknown) => {
    throw new ReaderError(`This device has no ${path}.`, { cause: error });
  });
  try {
    return await openPn532(open());
  } catch (error) {
    throw new ReaderError(`No PN532 answers ${place}: ${errorMessage(error)}`, { cause: error });
  }
}

function fieldSettings({ poll_ms, feedback_on_detect }: Settings): {
  pollMs: number;
  feedbackOnDetect: boolean;
} {
  return { pollMs: poll_ms, feedbackOnDetect: feedback_on_detect };
}
