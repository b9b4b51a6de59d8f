/** What the program uses of i2c-bus 5.2.3 and spi-device 3.1.2, which are compiled for the device only. */

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
