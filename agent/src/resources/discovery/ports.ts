/** Announces this device to hosts by DNS-SD (RFC 6763). */
export interface Announcer {
  /** Announces it from now on. @param entries of the TXT record, read whenever it is announced */
  start(entries: () => Readonly<Record<string, string>>): void;
  /** Announces the entries as they are now. */
  changed(): void;
  stop(): Promise<void>;
}

/** Answers for the name that every device has at its cable, besides the one of its own. */
export interface SharedName {
  /** @param address IPv4 address at the cable, in place of any former one; undefined: does not answer */
  answerWith(address: string | undefined): void;
}
