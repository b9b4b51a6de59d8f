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
  /** How often what the compositor told became old before its time. */
  #changes = 0;
  #refreshingSince = 0;

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

  /** Reads again what is too old. Concurrent calls share one reading, if nothing has changed since. Never rejects. */
  refresh(): Promise<void> {
    const before = this.#refreshing;
    if (before && this.#refreshingSince === this.#changes) return before;
    this.#refreshingSince = this.#changes;
    const reading = (before ?? Promise.resolve())
      .then(() => this.#read())
      .finally(() => {
        if (this.#refreshing === reading) this.#refreshing = undefined;
      });
    this.#refreshing = reading;
    return reading;
  }

  /** The compositor changed something: its outputs are read anew at the next refresh. */
  invalidate(): void {
    this.#changes += 1;
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

  /** How the compositor turns the primary screen, in degrees clockwise; undefined when nobody can tell. */
  get rotation(): Rotation | undefined {
    return this.#outputs.find(({ name }) => name === this.primary?.id)?.rotation ?? undefined;
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
      if (JSON.stringify(this.#known) !== before) this.#outputsAt = Number.NEGATIVE_INFINITY;
    }
    if (!this.#running()) {
      this.#outputs = [];
      this.#outputsAt = Number.NEGATIVE_INFINITY;
    } else if (now - this.#outputsAt >= this.#outputsFreshMs) {
      const changes = this.#changes;
      this.#outputs = await this.#compositor.outputs().catch(() => []);
      if (changes === this.#changes) this.#outputsAt = now;
    }
  }
}
