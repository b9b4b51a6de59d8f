/** What the program uses of i2c-bus 5.2.3, spi-device 3.1.2 and pcsc-mini 0.1.3, which computers may lack. */

declare module 'i2c-bus' {
  interface PromisifiedBus {
    i2cRead(address: number, length: number, buffer: Buffer): Promise<{ bytesRead: number; buffer: Buffer }>;
    i2cWrite(
      address: number,
      length: number,
      buffer: Buffer,
    ): Promise<{ bytesWritten: number; buffer: Buffer }>;
    close(): Promise<void>;
  }
  /** Opens `/dev/i2c-<bus>`. */
  function openPromisified(bus: number): Promise<PromisifiedBus>;
}

declare module 'spi-device' {
  interface Message {
    byteLength: number;
    sendBuffer: Buffer;
    receiveBuffer: Buffer;
    speedHz: number;
  }
  interface SpiDevice {
    transfer(message: Message[], done: (error: Error | null | undefined) => void): SpiDevice;
    close(done: (error: Error | null | undefined) => void): void;
  }
  const MODE0: number;
  /** Opens `/dev/spidev<bus>.<device>`. */
  function open(
    bus: number,
    device: number,
    options: { mode: number; maxSpeedHz: number },
    done: (error: Error | null | undefined) => void,
  ): SpiDevice;
}

declare module 'pcsc-mini' {
  import type { EventEmitter } from 'node:events';

  const CardDisposition: { readonly LEAVE: number; readonly RESET: number };
  const CardMode: { readonly DIRECT: number; readonly SHARED: number };
  const ReaderStatus: { readonly EMPTY: number; readonly MUTE: number; readonly PRESENT: number };
  interface ReaderStatusFlags {
    has(...flags: readonly number[]): boolean;
  }
  interface Card {
    attributeGet(id: number): Promise<Uint8Array>;
    control(code: number, command: Uint8Array): Promise<Uint8Array>;
    disconnect(then: number): Promise<void>;
    transmit(input: Uint8Array): Promise<Uint8Array>;
  }
  interface Reader extends EventEmitter<{ change: [ReaderStatusFlags, Uint8Array]; disconnect: [] }> {
    connect(mode: number): Promise<Card>;
    name(): string;
  }
  /** Tells one error when pcscd ends, and nothing any more. */
  class Client extends EventEmitter<{ error: [Error]; reader: [Reader] }> {
    start(): Client;
    stop(): void;
  }
  function controlCode(functionCode: number): number;
}
