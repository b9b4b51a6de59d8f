/** Whether a host has the other end open, as far as the device can tell. */
export type Presence = 'here' | 'away' | 'unknown';

/** An open serial line that never blocks (system/serial-device.ts). */
export interface SerialDevice {
  /** Whether it can be used again after `gone`; others must be closed and reopened. */
  readonly staysOpen: boolean;
  /** Whether bytes may arrive while the host is `away`: some hosts send without raising DTR. */
  readonly sendsWithoutCarrier: boolean;
  /** @throws Error when the line is gone */
  presence(): Promise<Presence>;
  /** @returns how many bytes were put into `into` */
  read(into: Buffer): number | 'nothing' | 'gone';
  /** @returns how many bytes were taken, 0 when the kernel's buffer is full */
  write(bytes: Buffer): number | 'gone';
  /**
   * Calls `onReady` once when one of `events` is true or the line is gone; a spurious call may follow. The next call
   * replaces this one; without events it stops watching.
   */
  watch(events: { readable: boolean; writable: boolean }, onReady: () => void): void;
  close(): Promise<void>;
}
