/**
 * A PN532's bus, with what differs between I2C and SPI. Every method rejects with the error of the system, as EREMOTEIO
 * when the chip does not acknowledge its address. One call at a time.
 */
export interface Transport {
  /** Wakes the chip up after power-on or sleep. */
  wake(): Promise<void>;
  /** @param frame up to 275 bytes */
  write(frame: Buffer): Promise<void>;
  /** Whether the chip has something to read. */
  isReady(): Promise<boolean>;
  /**
   * Reads bytes from the beginning of what the chip has to say; what is left of it is lost.
   * @param length number of bytes, without what the bus adds
   */
  read(length: number): Promise<Buffer>;
  close(): Promise<void>;
}
