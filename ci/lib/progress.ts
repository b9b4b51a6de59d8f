const INTERVAL_MS = 10_000;

/** Text of a console without what terminals take for commands; lines end in "\n". */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const commands = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\)?|.)|[\x00-\x09\x0b-\x1f]/g;
  return text.replaceAll(commands, '');
}

/** What a command says to the person who waits: steps with their times, on stderr. */
export class Progress {
  readonly #started = performance.now();

  line(text: string): void {
    process.stderr.write(`vitrine: ${text}\n`);
  }

  /** Seconds since the command began, as text. */
  get elapsed(): string {
    return `${((performance.now() - this.#started) / 1000).toFixed(1)} s`;
  }

  /**
   * Runs a step. Says its name, then its time; in between, on a terminal, how long it has taken so far, else a line
   * every ten seconds, so that a log shows life too.
   * @param detail what more to say while it runs, asked each time
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
