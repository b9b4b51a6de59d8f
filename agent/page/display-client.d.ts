/** The channel between a page and the hosts of a Vitrine device. */
export interface Vitrine {
  /** Whether the channel is open. */
  readonly open: boolean;
  /** Called with every message of a host, in order. Setting it opens the channel. */
  onmessage: ((value: unknown) => void) | null;
  /**
   * Sends JSON of 1 MiB at most to all hosts that subscribe to `page_message`, and opens the channel if necessary.
   * Resolves with true when the device has taken the message; awaiting that keeps a page from sending faster than hosts
   * read. Resolves with false where there is no device.
   *
   * Rejects with a TypeError for a value that JSON does not have, and with a RangeError for a message over 1 MiB, or when
   * 1024 messages or 8 Mi characters wait.
   */
  send(value: unknown): Promise<boolean>;
  /** Closes the channel. Messages that the device has not taken are lost: their promises resolve with false. */
  close(): void;
}

declare global {
  interface Window {
    readonly vitrine: Vitrine;
  }
  const vitrine: Vitrine;
}
