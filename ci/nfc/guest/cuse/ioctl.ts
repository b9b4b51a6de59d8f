/** Memory of the program that calls an ioctl. */
export interface Span {
  address: bigint;
  length: number;
}

/** The kernel has to be asked again, with this memory. */
export class MoreMemory extends Error {
  readonly inputs: readonly Span[];
  readonly outputs: readonly Span[];

  constructor(inputs: readonly Span[], outputs: readonly Span[]) {
    super('more memory of the caller is needed');
    this.inputs = inputs;
    this.outputs = outputs;
  }
}

/**
 * One attempt of an ioctl. The kernel gives only memory that was asked for in the attempt before: so whoever handles it asks
 * for all that it needs in the same order each time, and is ended by {@link MoreMemory} until everything is there.
 */
export class IoctlAttempt {
  readonly command: number;
  readonly argument: bigint;
  readonly #data: Buffer;
  readonly #outputBytes: number;
  readonly #inputs: Span[] = [];
  readonly #results: Buffer[] = [];
  #at = 0;

  /** @param data what the kernel has copied from the caller @param outputBytes what it will copy to the caller */
  constructor(command: number, argument: bigint, data: Buffer, outputBytes: number) {
    this.command = command;
    this.argument = argument;
    this.#data = data;
    this.#outputBytes = outputBytes;
  }

  /** Memory of the caller that the ioctl reads. */
  read(...spans: Span[]): Buffer[] {
    this.#inputs.push(...spans);
    const total = spans.reduce((sum, { length }) => sum + length, 0);
    if (this.#at + total > this.#data.length) throw new MoreMemory(this.#inputs, []);
    return spans.map(({ length }) => {
      const bytes = this.#data.subarray(this.#at, this.#at + length);
      this.#at += length;
      return bytes;
    });
  }

  /** Memory of the caller that the ioctl writes, to be filled. Called once, after all calls of {@link read}. */
  write(...spans: Span[]): Buffer[] {
    const total = spans.reduce((sum, { length }) => sum + length, 0);
    if (total !== this.#outputBytes) throw new MoreMemory(this.#inputs, spans);
    this.#results.push(...spans.map(({ length }) => Buffer.alloc(length)));
    return this.#results;
  }

  /** What was written. */
  get output(): Buffer {
    return Buffer.concat(this.#results);
  }
}
