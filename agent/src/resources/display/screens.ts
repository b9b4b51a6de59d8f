import type { Compositor, Connector, Connectors, Output } from './ports.ts';
import type { Rotation, Screen } from './schema.ts';

/** How long what was read of connectors stays good, in ms; they are cheap to read. */
const CONNECTORS_FRESH_MS = 1000;

const EXACT_MODE = /^\d+x\d+@/;

/** The outputs of the board: what the kernel knows of the connectors and the compositor of the modes. */
export class Screens {
  readonly #connectors: Connectors;
  readonly #compositor: Compositor;
  readonly #running: () => boolean;
  readonly #outputsFreshMs: number;
  #known: Connector[] = [];
  #knownAt = Number.NEGATIVE_INFINITY;
  #outputs: Output[] = [];
  #outputsAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  /**
   * @param running whether there is a compositor to ask: it lives as long as its browser
   * @param outputsFreshMs how long what the compositor told stays good, in ms: it costs a process
   */
  constructor(
    connectors: Connectors,
    compositor: Compositor,
    running: () => boolean,
    outputsFreshMs: number,
  ) {
    this.#connectors = connectors;
    this.#compositor = compositor;
    this.#running = running;
    this.#outputsFreshMs = outputsFreshMs;
  }

  /** Reads again what is too old. Concurrent calls share one reading. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The compositor changed something: its modes are read anew at the next refresh. */
  invalidate(): void {
    this.#outputsAt = Number.NEGATIVE_INFINITY;
  }

  /** The screen that is driven: the first connected one, else the first. As of the last refresh. */
  get primary(): Connector | undefined {
    return this.#known.find((connector) => connector.connected) ?? this.#known[0];
  }

  /** Connectors with a screen, by their names. As of the last refresh. */
  get connected(): string[] {
    return this.#known.filter(({ connected }) => connected).map(({ id }) => id);
  }

  /** What the compositor can drive, by name; empty when it cannot be asked. As of the last refresh. */
  get outputs(): string[] {
    return this.#outputs.map(({ name }) => name);
  }

  /** What the primary screen shows now, `<width>x<height>@<refresh>`; null when nobody can tell. */
  get resolution(): string | null {
    const primary = this.primary;
    return primary?.connected ? this.#resolution(primary) : null;
  }

  /** Whether the compositor shows the picture on the primary screen alone, turned so. As of the last refresh. */
  areDriven(rotation: Rotation): boolean {
    const primary = this.primary?.id;
    return (
      this.#outputs.some(({ name }) => name === primary) &&
      this.#outputs.every((output) => output.rotation === (output.name === primary ? rotation : null))
    );
  }

  list(rotation: Rotation): Screen[] {
    const primary = this.primary;
    return this.#known.map((connector) => {
      const output = this.#outputs.find((candidate) => candidate.name === connector.id);
      return {
        id: connector.id,
        primary: connector === primary,
        connected: connector.connected,
        resolution: connector.connected ? this.#resolution(connector) : null,
        modes: output && output.modes.length > 0 ? output.modes : connector.modes,
        rotation: connector === primary ? rotation : 0,
        make: connector.make,
        model: connector.model,
      };
    });
  }

  #resolution(connector: Connector): string | null {
    const output = this.#outputs.find((candidate) => candidate.name === connector.id);
    if (output) return output.mode;
    // Before the compositor tells: it takes the preferred mode, which comes first.
    const [preferred] = connector.modes;
    return preferred !== undefined && EXACT_MODE.test(preferred) ? preferred : null;
  }

  async #read(): Promise<void> {
    const now = performance.now();
    if (now - this.#knownAt >= CONNECTORS_FRESH_MS) {
      const before = JSON.stringify(this.#known);
      this.#known = await this.#connectors.read().catch(() => []);
      this.#knownAt = now;
      if (JSON.stringify(this.#known) !== before) this.invalidate();
    }
    if (!this.#running()) {
      this.#outputs = [];
      this.invalidate();
    } else if (now - this.#outputsAt >= this.#outputsFreshMs) {
      this.#outputs = await this.#compositor.outputs().catch(() => []);
      this.#outputsAt = now;
    }
  }
}
