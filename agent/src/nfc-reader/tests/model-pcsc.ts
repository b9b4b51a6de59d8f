/** A model of pcscd and of an ACR122U behind it, with one tag. */
import { EventEmitter } from 'node:events';
import type { Connection, Device } from '../acr122u/field.ts';
import { SHARED } from '../acr122u/pcsc.ts';
import type { PcscClient } from '../acr122u/pcsc-readers.ts';
import type { ModelTag } from './model-tags.ts';

type ClientEvents = { error: [Error]; reader: [Device]; hangs: [boolean] };

const OK = [0x90, 0x00];
const FAILED = Buffer.of(0x63, 0x00);

export class ModelAcr {
  readonly name: string;
  /** Commands that the reader got, as hex. */
  readonly commands: string[] = [];
  readonly channel: Buffer;
  tag: ModelTag | undefined;
  allowsEscape = true;
  open = 0;
  readonly device: Device;
  readonly #emitter = new EventEmitter<{ change: [hasTag: boolean]; disconnect: [] }>();

  constructor(name = 'ACS ACR122U PICC Interface 00 00', channel = '05010020') {
    this.name = name;
    this.channel = Buffer.from(channel, 'hex');
    this.device = Object.assign(this.#emitter, {
      name: this.name,
      connect: async (mode: number) => {
        if (mode === SHARED && !this.tag) throw new Error('No smart card inserted');
        return this.#card();
      },
    });
  }

  put(tag: ModelTag): void {
    tag.reset();
    this.tag = tag;
    this.changed();
  }

  take(): void {
    this.tag = undefined;
    this.changed();
  }

  /** pcscd reports the state. */
  changed(): void {
    this.#emitter.emit('change', this.tag !== undefined);
  }

  unplug(): void {
    this.#emitter.emit('disconnect');
    this.#emitter.removeAllListeners();
  }

  #card(): Connection {
    const before = this.tag;
    this.open += 1;
    return {
      attribute: async () => this.channel,
      escape: async (command) => {
        if (!this.allowsEscape) throw new Error('Feature not supported.');
        return this.#answer(command);
      },
      transmit: async (input) => {
        if (!this.tag || this.tag !== before) throw new Error('The smart card has been removed.');
        return this.#answer(input);
      },
      disconnect: async () => {
        this.open -= 1;
      },
    };
  }

  #answer(command: Buffer): Buffer {
    this.commands.push(command.toString('hex'));
    const { tag } = this;
    if (command[0] !== 0xff) return tag?.answer(command) ?? FAILED;
    const data = command.subarray(5);
    if (command[1] === 0xb0) return this.#type2(Buffer.of(0x30, command[3] ?? 0));
    if (command[1] === 0xd6) return this.#type2(Buffer.of(0xa2, command[3] ?? 0, ...data));
    if (command[2] === 0x40) return Buffer.of(0x90, 0x02);
    if (command[2] !== 0x00) return Buffer.from(OK);
    if (data[1] === 0x4a && tag) {
      const ats = (tag.sak & 0x20) !== 0 ? [5, 0x78, 0x80, 0x70, 0x02] : [];
      const target = [1, tag.atqa >> 8, tag.atqa & 0xff, tag.sak, tag.uid.length, ...tag.uid, ...ats];
      return Buffer.of(0xd5, 0x4b, 1, ...target, ...OK);
    }
    const reply = data[1] === 0x42 ? tag?.answer(data.subarray(2)) : undefined;
    return reply ? Buffer.of(0xd5, 0x43, 0, ...reply, ...OK) : Buffer.of(0xd5, (data[1] ?? 0) + 1, 1, ...OK);
  }

  #type2(data: Buffer): Buffer {
    const reply = this.tag?.answer(data);
    return reply ? Buffer.concat([data[0] === 0x30 ? reply : Buffer.alloc(0), Buffer.from(OK)]) : FAILED;
  }
}

/** pcscd with its readers. */
export class ModelPcscd {
  readonly readers = new Set<ModelAcr>();
  isRunning = true;
  clients = 0;
  readonly #clients = new Set<EventEmitter<ClientEvents>>();

  plug(acr: ModelAcr): void {
    this.readers.add(acr);
    for (const client of this.#clients) this.#tell(client, acr);
  }

  unplug(acr: ModelAcr): void {
    this.readers.delete(acr);
    acr.unplug();
  }

  /** Does not answer, which takes its readers away, or answers again. */
  hang(hangs: boolean): void {
    for (const client of this.#clients) {
      client.emit('hangs', hangs);
      for (const acr of this.readers) {
        if (hangs) acr.unplug();
        else this.#tell(client, acr);
      }
    }
  }

  kill(): void {
    this.isRunning = false;
    for (const acr of this.readers) acr.unplug();
    for (const client of this.#clients)
      client.emit('error', new Error('The Smart card resource manager has shut down.'));
  }

  readonly createClient = (): PcscClient => {
    const client = new EventEmitter<ClientEvents>();
    return Object.assign(client, {
      start: () => {
        this.#clients.add(client);
        this.clients += 1;
        if (!this.isRunning) setImmediate(() => client.emit('error', new Error('Service not available.')));
        else for (const acr of this.readers) this.#tell(client, acr);
      },
      stop: () => void this.#clients.delete(client),
    });
  };

  #tell(client: EventEmitter<ClientEvents>, acr: ModelAcr): void {
    setImmediate(() => {
      client.emit('reader', acr.device);
      acr.changed();
    });
  }
}
