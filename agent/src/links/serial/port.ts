import type { Logger } from '../../system/logger.ts';

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

/** One serial port of the cable, reopened for ever. It never blocks, whatever the other end does. */
export interface SerialPort {
  readonly path: string;
  /**
   * Whether the port sees the host come and go (gadget tty with carrier, virtio port). When false, `onOpen` only
   * means that the line is open here: greet the host again when it speaks after a longer silence.
   * Known from the first `onOpen` on.
   */
  readonly detectsHost: boolean;
  /** Bytes given to `write` that the kernel has not taken yet. */
  readonly pendingBytes: number;
  /**
   * Sends bytes after those of earlier calls. Never rejects.
   * @returns true when the kernel has taken all of them; false when they were dropped, because no host is there,
   *   the host left, it does not read, or `pendingBytes` would pass MAX_PENDING_BYTES
   */
  write(bytes: Buffer | string): Promise<boolean>;
  /** Ends the session (`onClose`) and closes the port for good. */
  close(): Promise<void>;
}

/** Opens a port in the background and keeps it open; problems go to the log, never to the caller. */
export type OpenSerialPort = (path: string, handler: SerialPortHandler, log: Logger) => SerialPort;

/** The longest answer, a 4 MB splash in base64, fits twice. */
export const MAX_PENDING_BYTES = 12 * 1024 * 1024;
