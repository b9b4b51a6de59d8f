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
  /**
   * Present in pages that may use NFC (`nfc.origins`), beside Web NFC (`NDEFReader`). Without display-client.js, `vitrine`
   * has this member only.
   */
  readonly nfc?: VitrineNfc;
}

/** Cards that take APDUs (ISO/IEC 14443-4), as far as a page may use them. */
export interface VitrineNfc {
  /**
   * Exchanges one APDU of 4 to 65 544 bytes with the card that came last to a reader, and the following ones with the same
   * card. Resolves with its answer, the status word at the end.
   *
   * Rejects with a TypeError for another length, and with a DOMException: `InvalidStateError` without a tag, or when eight
   * calls wait; `NotSupportedError` for a tag that takes no APDUs; `NotAllowedError` for an APDU that selects the
   * application of security keys (FIDO); `NetworkError` if the card has left or does not answer.
   * After the card has left, one call rejects, unless an NDEFReader of the page was told of another tag meanwhile: no APDU
   * of a series goes to another card.
   */
  transceive(apdu: BufferSource): Promise<ArrayBuffer>;
}

declare global {
  interface Window {
    readonly vitrine: Vitrine;
  }
  const vitrine: Vitrine;
}
