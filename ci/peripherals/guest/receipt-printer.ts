const DLE = 0x10;
const EOT = 0x04;
/** Epson, ESC/POS, DLE EOT: status of a printer that works. */
const WORKS = 0x12;
const MOST_KEPT = 1024 * 1024;

/** A printer for ESC/POS: it keeps what it got, and answers requests for its status (DLE EOT n). */
export class ReceiptPrinter {
  #kept: Buffer[] = [];
  #bytes = 0;
  /** The last bytes of what came before, which may begin a request. */
  #tail = Buffer.alloc(0);

  /** @returns what it sends after it has received `data` */
  receive(data: Buffer): Buffer {
    if (this.#bytes + data.length <= MOST_KEPT) {
      this.#kept.push(Buffer.from(data));
      this.#bytes += data.length;
    }
    const all = Buffer.concat([this.#tail, data]);
    let requests = 0;
    let rest = 0;
    for (let at = 0; at + 2 < all.length; at += 1) {
      if (all[at] !== DLE || all[at + 1] !== EOT) continue;
      requests += 1;
      at += 2;
      rest = at + 1;
    }
    this.#tail = Buffer.from(all.subarray(Math.max(rest, all.length - 2)));
    return Buffer.alloc(requests, WORKS);
  }

  /** All bytes since the last call, of at most 1 MiB. */
  take(): Buffer {
    this.#bytes = 0;
    return Buffer.concat(this.#kept.splice(0));
  }
}
