import type { Compositor, Connector, Connectors, Output } from './ports.ts';
import type { Rotation, Screen } from './schema.ts';

/** Connectors are cheap to read, but not more often than this, in ms. */
const CONNECTORS_FRESH_MS = 1000;

const EXACT_MODE = /^\d+x\d+@/;
const NEVER = Number.NEGATIVE_INFINITY;

/** The outputs of the board: connectors as the kernel reports them, modes and rotations from the compositor. */
export class Screens {
  readonly #connectors: Connectors;
  readonly #compositor: Compositor;
  readonly #hasCompositor: () => boolean;
  readonly #outputsFreshMs: number;
  #known: Connector[] = [];
  #knownAt = NEVER;
  #outputs: Output[] = [];
  #outputsAt = NEVER;
  /** The last read under way, and the invalidations before it. */
  #refreshing: { done: Promise<void>; invalidations: number } | undefined;
  #invalidations = 0;

  /**
   * @param hasCompositor whether there is a compositor to ask: it runs as long as its browser
   * @param outputsFreshMs how long the compositor's answer stays valid, in ms: asking costs a process
   */
  constructor(
    connectors: Connectors,
    compositor: Compositor,
    hasCompositor: () => boolean,
    outputsFreshMs: number,
  ) {
    this.#connectors = connectors;
    this.#compositor = compositor;
    this.#hasCompositor = hasCompositor;
    this.#outputsFreshMs = outputsFreshMs;
  }

  /** Reads what is out of date. Concurrent calls share one read, unless `invalidate` came between. Never rejects. */
  refresh(): Promise<void> {
    const before = this.#refreshing;
    const invalidations = this.#invalidations;
    if (before?.invalidations === invalidations) return before.done;
    const done = (before?.done ?? Promise.resolve())
      .then(() => this.#read())
      .finally(() => {
        if (this.#refreshing?.done === done) this.#refreshing = undefined;
      });
    this.#refreshing = { done, invalidations };
    return done;
  }

  /** The compositor changed something: its outputs are read again at the next refresh. */
  invalidate(): void {
    this.#invalidations += 1;
    this.#outputsAt = NEVER;
  }

  /** The first connected screen, or the first of all. As of the last refresh. */
  get primary(): Connector | undefined {
    return this.#known.find((connector) => connector.connected) ?? this.#known[0];
  }

  /** Ids of the connectors with a screen. As of the last refresh. */
  get connected(): string[] {
    return this.#known.filter(({ connected }) => connected).map(({ id }) => id);
  }

  /** Names of the compositor's outputs; empty when it cannot be asked. As of the last refresh. */
  get outputs(): string[] {
    return this.#outputs.map(({ name }) => name);
  }

  /** The primary screen's rotation as the compositor shows it, in degrees clockwise; undefined when unknown. */
  get rotation(): Rotation | undefined {
    return this.#outputs.find(({ name }) => name === this.primary?.id)?.rotation ?? undefined;
  }

  /** The primary screen's present mode, `<width>x<height>@<refresh>`; null when unknown. */
  get resolution(): string | null {
    const primary = this.primary;
    return primary?.connected ? this.#resolution(primary) : null;
  }

  /** Whether the compositor drives the primary screen alone, with this rotation. As of the last refresh. */
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
    // The compositor, which has not been asked yet, uses the preferred mode, which is the first.
    const [preferred] = connector.modes;
    return preferred !== undefined && EXACT_MODE.test(preferred) ? preferred : null;
  }

  async #read(): Promise<void> {
    const now = performance.now();
    if (now - this.#knownAt >= CONNECTORS_FRESH_MS) {
      const before = JSON.stringify(this.#known);
      this.#known = await this.#connectors.read().catch(() => []);
      this.#knownAt = now;
      if (JSON.stringify(this.#known) !== before) this.#outputsAt = NEVER;
    }
    if (!this.#hasCompositor()) {
      this.#outputs = [];
      this.#outputsAt = NEVER;
    } else if (now - this.#outputsAt >= this.#outputsFreshMs) {
      const invalidations = this.#invalidations;
      this.#outputs = await this.#compositor.outputs().catch(() => []);
      if (invalidations === this.#invalidations) this.#outputsAt = now;
    }
  }
}
