import type { FrameResult, KeeperEvent } from '../keeper-state.ts';
import type { BrowserEventOf } from '../ports.ts';
import { OWN_URI } from '../target.ts';
import { TIMING } from '../timing.ts';
import type { FakeClock } from './fake-clock.ts';

/** What becomes of a load of an address. */
export const OUTCOMES = [
  'ok',
  'network',
  'tls',
  'silent',
  'incomplete',
  'password',
  'missing',
  'redirect',
] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** What the page on the screen does to the next load. */
export const RESISTANCES = ['none', 'stop', 'delay', 'navigate'] as const;
export type Resistance = (typeof RESISTANCES)[number];

interface Document {
  uri: string;
  /** Of our own page. */
  html?: string | undefined;
  /** The answer to a missing password. */
  isDenied?: boolean;
}
interface Load extends Document {
  /** As its events tell it. */
  id: number;
  /** Id of its command; 0 for a navigation of the page. */
  command: number;
}
interface Process {
  document: (Document & { command: number }) | undefined;
  /** Commanded and not yet started. */
  asked: Load | undefined;
  /** Started, and neither finished nor failed. */
  current: Load | undefined;
  /** The page's own process takes loads and answers from then on. */
  readyAt: number;
}

/** The pace at which things happen, in ms. */
const STEP_MS = 10;
const RECONNECT_MS = 250;
const START_MS = 2000;
export const COMMAND_TIMEOUT_MS = 30_000;

/** A browser and its unit by the rules of browser/PROTOCOL.md, in simulated time. */
export class SimulatedBrowser {
  /** By address; `ok` for all others. */
  readonly outcomes = new Map<string, Outcome>();
  resistance: Resistance = 'none';
  pageHangs = false;
  /** How long the next processes of pages take to start, in ms. */
  pageStartMs = 0;
  /** Frames do not reach the screen, because of the page's process or of the compositor. */
  frozen: 'none' | 'page' | 'compositor' = 'none';
  /** The process takes no commands. */
  hangs = false;
  ignoresQuit = false;
  /** What a restart of the unit does. */
  unit: 'works' | 'fails' | 'ignores' = 'works';
  /** The unit starts a browser that ended by itself. */
  startsAgain = true;
  /** Commands that it did not take. */
  ignoredCommands = 0;
  /** How often a load did not proceed: no answer from the server, or the page on the screen was in the way. */
  stalls = 0;
  /** Of the load that the present event is about: the id of its command, 0 for a navigation of the page. */
  cause = 0;
  connected = false;
  /** It has its settings on this connection. */
  configured = false;
  readonly #clock: FakeClock;
  readonly #tell: (event: KeeperEvent) => void;
  #process: Process | undefined;
  #starting: (() => void) | undefined;
  /** Rejections of the commands without an answer. */
  readonly #pending = new Set<() => void>();

  constructor(clock: FakeClock, tell: (event: KeeperEvent) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** On the screen. */
  get document(): (Document & { command: number }) | undefined {
    return this.#process?.document;
  }

  /** The time for which the page's process is still to be started, in ms. */
  get startsFor(): number {
    return Math.max(0, (this.#process?.readyAt ?? 0) - this.#clock.now);
  }

  /** A load is under way that the screen does not show yet. */
  get isBusy(): boolean {
    return this.#process?.asked !== undefined || this.#process?.current !== undefined;
  }

  start(): void {
    this.#starting?.();
    this.#starting = this.#clock.after(START_MS, () => {
      this.#starting = undefined;
      const readyAt = this.#clock.now + this.pageStartMs;
      this.#process = { document: undefined, asked: undefined, current: undefined, readyAt };
      this.#cureScreen();
      this.pageHangs = false;
      this.hangs = false;
      this.resistance = 'none';
      this.connect();
    });
  }

  connect(): void {
    this.connected = true;
    this.configured = false;
    this.#tell({ event: 'connected', uri: this.document?.uri ?? null });
  }

  /** The connection breaks and comes back; the page does not notice. */
  reconnect(): void {
    if (!this.connected) return;
    const before = this.#process;
    this.#disconnect();
    this.#clock.after(RECONNECT_MS, () => {
      if (this.#process === before && before && !this.connected) this.connect();
    });
  }

  end(): void {
    if (!this.#process) return;
    this.#process = undefined;
    if (this.connected) this.#disconnect();
    if (this.startsAgain) this.start();
  }

  endPage(reason: BrowserEventOf<'page_gone'>['reason']): void {
    const process = this.#process;
    if (!process || (!process.document && this.startsFor === 0)) return;
    Object.assign(process, { document: undefined, asked: undefined, current: undefined });
    process.readyAt = this.#clock.now + this.pageStartMs;
    this.#cureScreen();
    this.pageHangs = false;
    this.resistance = 'none';
    if (this.connected) this.#tell({ event: 'page_gone', reason });
  }

  navigate(uri: string): void {
    const process = this.#process;
    if (process?.document && process.document.uri !== OWN_URI && !this.pageHangs) {
      if (process.asked || process.current) this.stalls += 1;
      this.#startLoad(process, { id: 0, command: 0, uri });
    }
  }

  restartUnit(failed: () => void): void {
    if (this.unit === 'fails') this.#clock.after(STEP_MS, failed);
    else if (this.unit === 'works') {
      this.#clock.after(STEP_MS, () => {
        this.frozen = 'none';
        this.end();
        this.start();
      });
    }
  }

  configure(done: () => void, failed: () => void): void {
    this.#command(() => {
      this.configured = true;
      done();
    }, failed);
  }

  load(id: number, { uri, html }: Document, failed: () => void): void {
    this.#command(() => {
      const process = this.#process;
      if (!process) return;
      process.current = undefined;
      process.asked = { id, command: id, uri, html };
      this.#startSoon(process, process.asked);
    }, failed);
  }

  reload(id: number, failed: () => void): void {
    this.load(id, { uri: this.document?.uri ?? 'about:blank' }, failed);
  }

  terminatePage(done: () => void, failed: () => void): void {
    this.#command(() => {
      done();
      this.endPage('terminated');
    }, failed);
  }

  ping(done: (answered: boolean) => void, timeoutMs: number): void {
    const isMute =
      this.hangs || (this.pageHangs && this.document !== undefined) || this.startsFor > timeoutMs;
    this.#clock.after(isMute ? timeoutMs : this.startsFor + STEP_MS, () => done(!isMute));
  }

  checkFrames(done: (result: FrameResult) => void): void {
    const isMute = () => this.hangs || (this.pageHangs && this.document !== undefined);
    const isShown = () => this.frozen === 'none' && !isMute();
    this.#clock.after(isShown() ? STEP_MS : TIMING.frameMs, () => {
      if (isShown()) done('shown');
      else if (this.frozen === 'compositor') done('compositor_frozen');
      else done(isMute() ? 'unknown' : 'frozen');
    });
  }

  quit(failed: () => void): void {
    this.#command(() => {
      if (!this.ignoresQuit) this.end();
    }, failed);
  }

  /** A new process of the page, or of the browser. */
  #cureScreen(): void {
    if (this.frozen === 'page') this.frozen = 'none';
  }

  #disconnect(): void {
    this.connected = false;
    this.#tell({ event: 'disconnected' });
    for (const reject of [...this.#pending]) reject();
  }

  /** Carried out and answered in order, after a moment. */
  #command(run: () => void, failed: () => void): void {
    const isMute = this.hangs;
    if (isMute) this.ignoredCommands += 1;
    const reject = () => {
      cancel();
      this.#pending.delete(reject);
      failed();
    };
    const cancel = this.#clock.after(isMute ? COMMAND_TIMEOUT_MS : STEP_MS, () => {
      this.#pending.delete(reject);
      if (isMute) failed();
      else run();
    });
    this.#pending.add(reject);
  }

  #load(state: BrowserEventOf<'load'>['state'], { id, command, uri }: Load, more: object = {}): void {
    this.cause = command;
    if (this.connected) this.#tell({ event: 'load', state, load: id, uri, ...more });
  }

  #startSoon(process: Process, load: Load): void {
    this.#clock.after(this.startsFor + STEP_MS, () => {
      if (process.asked !== load || process !== this.#process) return;
      if (this.resistance === 'delay' && process.document) {
        this.stalls += 1;
        this.#startSoon(process, load);
      } else {
        process.asked = undefined;
        this.#startLoad(process, load);
      }
    });
  }

  #startLoad(process: Process, load: Load): void {
    process.current = load;
    this.#load('started', load);
    this.#after(process, load, () => {
      const isResisted = process.document !== undefined && load.command > 0;
      if (isResisted && this.resistance === 'stop') {
        this.stalls += 1;
        this.#fail(process, load, 'cancelled');
      } else if (isResisted && this.resistance === 'navigate') {
        this.stalls += 1;
        this.#startLoad(process, { id: 0, command: 0, uri: 'http://elsewhere.example/' });
      } else this.#proceed(process, load);
    });
  }

  #proceed(process: Process, load: Load): void {
    const outcome = load.html === undefined ? (this.outcomes.get(load.uri) ?? 'ok') : 'ok';
    if (outcome === 'silent') {
      this.stalls += 1;
      return;
    }
    if (outcome === 'network' || outcome === 'tls') {
      this.#fail(process, load, outcome);
      return;
    }
    const uri = outcome === 'redirect' ? `${load.uri}redirected` : load.uri;
    const isDenied = outcome === 'password';
    const arrived = { ...load, uri, isDenied };
    if (outcome === 'redirect') this.#load('redirected', arrived);
    const status = outcome === 'missing' ? 404 : isDenied ? 401 : 200;
    const facts = { status, authentication_required: isDenied };
    this.#commit(process, arrived, facts);
    if (outcome === 'incomplete') return;
    this.#after(process, load, () => {
      process.current = undefined;
      this.#load('finished', arrived, facts);
    });
  }

  /** The document replaces the one on the screen, which can no longer hang or resist loads. */
  #commit(process: Process, load: Load, facts: object = {}): void {
    process.document = load;
    this.pageHangs = false;
    this.resistance = 'none';
    this.#load('committed', load, facts);
    if (this.connected && this.frozen === 'none') this.#tell({ event: 'painted', load: load.id });
  }

  #fail(process: Process, load: Load, kind: BrowserEventOf<'load_failed'>['kind']): void {
    process.current = undefined;
    this.cause = load.command;
    if (!this.connected) return;
    this.#tell({ event: 'load_failed', load: load.id, uri: load.uri, kind, message: `${kind} failed` });
  }

  #after(process: Process, load: Load, run: () => void): void {
    this.#clock.after(STEP_MS, () => {
      if (process === this.#process && process.current === load) run();
    });
  }
}
