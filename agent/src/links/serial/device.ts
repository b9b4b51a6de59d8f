/**
 * What a serial port tells the link above it. Called one at a time, always in the order
 * `onOpen`, `onData`…, `onClose`, `onOpen`…
 */
export interface SerialPortHandler {
  /** A host is there: greet it. Nothing of an earlier host's session is valid any more. */
  onOpen(): void;
  /** Bytes from the host, in order, cut anywhere. The buffer is the handler's to keep. */
  onData(bytes: Buffer): void;
  /** The host left, the cable was pulled, or the host did not read for too long: the session is over. */
  onClose(): void;
}

/** Whether a host holds the other end, as far as the device can tell. */
export type Presence = 'here' | 'away' | 'unknown';

/** An open serial line that never blocks (system/serial-device.ts). */
export interface SerialDevice {
  /** Whether it is of use again after `gone`; others are closed and opened anew. */
  readonly staysOpen: boolean;
  /** Whether bytes may come while the host counts as away: a host may talk without raising DTR. */
  readonly speaksWhileAway: boolean;
  /** @throws Error when the line is gone */
  presence(): Promise<Presence>;
  /** @returns how many bytes were put into `into` */
  read(into: Buffer): number | 'nothing' | 'gone';
  /** @returns how many bytes were taken, 0 when there is no room now */
  write(bytes: Buffer): number | 'gone';
  /**
   * Calls `onReady` once when one of `events` holds or the line is gone, perhaps once more without need. A later call
   * replaces this one; without events nothing is waited for.
   */
  watch(events: { readable: boolean; writable: boolean }, onReady: () => void): void;
  close(): Promise<void>;
}
