const INTERVAL_MS = 10_000;

/** Console text without escape sequences and control characters; lines end in "\n". */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const commands = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\)?|.)|[\x00-\x09\x0b-\x1f]/g;
  return text.replaceAll(commands, '');
}

/** Prints the steps of a command and how long they take, on stderr. */
export class Progress {
  readonly #started = performance.now();

  line(text: string): void {
    process.stderr.write(`vitrine: ${text}\n`);
  }

  /** Seconds since the command started, as text. */
  get elapsed(): string {
    return `${((performance.now() - this.#started) / 1000).toFixed(1)} s`;
  }

  /**
   * Runs a step and prints its name, then its duration. While it runs, a terminal shows the elapsed time; a log gets a
   * line every ten seconds, so that it shows that the command is still working.
   * @param detail more text to show while the step runs; called for every update
   */
  async step<T>(
    name: string,
    work: () => Promise<T>,
    detail: () => Promise<string> = async () => '',
  ): Promise<T> {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    const tty = process.stderr.isTTY;
    this.line(`${name} …`);
    const tick = async (): Promise<void> => {
      const more = (await detail()).slice(0, 70);
      const text = `${name} … ${Math.round(seconds())} s${more && ` · ${more}`}`;
      process.stderr.write(tty ? `\r\x1b[Kvitrine: ${text}` : `vitrine: ${text}\n`);
    };
    const ticker = setInterval(() => void tick().catch(() => undefined), tty ? 1000 : INTERVAL_MS);
    try {
      const result = await work();
      clearInterval(ticker);
      if (tty) process.stderr.write('\r\x1b[K');
      this.line(`${name}: done in ${seconds().toFixed(1)} s`);
      return result;
    } finally {
      clearInterval(ticker);
      if (tty) process.stderr.write('\r\x1b[K');
    }
  }
}
