/** The vocabulary of the keeper's state machine: its state, the events that change it, the effects it asks for. */
import type { MissingBundle } from './first-target.ts';
import type { BrowserEvent, BundleProblem, Notice, Target } from './ports.ts';
import type { DisplayError } from './schema.ts';

/** How far a recovery goes: a new page, a new browser, a new compositor with a new browser. */
export type Stage = 'page' | 'browser' | 'compositor';
/** `load`: the page could not be fetched, which no restart mends; `crash`: page or browser hung or died. */
export type FailureKind = 'load' | 'crash';

/** What to do after a failure. */
export interface Step {
  delayMs: number;
  stage: Stage;
  /** Show the reason on the screen meanwhile. */
  notice: boolean;
}

/** All times in ms. */
export interface KeeperTiming {
  /** Failures are forgotten when the page has been up for this long. */
  stableMs: number;
  /** How long the browser may stay away before its unit is restarted; doubles up to 16 times that. */
  awayMs: number;
  pingEveryMs: number;
  /** How long the page's main thread may take to answer a ping. */
  pongMs: number;
  /** Pings in a row without an answer until the page counts as unresponsive. */
  misses: number;
  /** From the request for a page until the browser starts to load it. */
  beginMs: number;
  /** From then until its document is there. */
  documentMs: number;
  /** From then until the rest of the page is there. */
  completeMs: number;
  /** @param failures in a row, 1 for the first */
  step: (failures: number, kind: FailureKind) => Step;
}

/** What does not change while the keeper runs. */
export interface KeeperConfig {
  timing: KeeperTiming;
  /** There is a unit that starts the browser again whenever it ends. */
  kioskInstalled: boolean;
  /** Address of a bundle's start page. */
  bundleUrl: (name: string) => string;
}

/** The load that brings the target. */
export interface TargetLoad {
  /** `committed`: the target's document is on the screen, also while and after the rest of it is loaded. */
  stage: 'none' | 'requested' | 'started' | 'committed';
  /** Of the browser's load events; 0 when the target is loaded without an id; undefined when no event can match. */
  id: number | undefined;
}

export interface KeeperState {
  target: Target;
  /** Why the target is the waiting page instead of a bundle. */
  missing: MissingBundle | undefined;
  /** Where the page navigated itself to, away from the target. */
  navigatedTo: string | undefined;
  loading: boolean;
  error: DisplayError | null;
  /** Why the document on the screen, although it was loaded, is not the page that was meant. */
  documentError: DisplayError | null;

  /** Connections so far. Answers of an earlier one are ignored. */
  connection: number;
  connected: boolean;
  /** The first settings that it got on this connection. Without them it takes no commands about a page. */
  settings: 'none' | 'sent' | 'taken' | 'failed';
  /** The browser is being ended by us. It gets no loads, and its end is not a failure. */
  ending: boolean;
  /** The document that was on the screen when the browser connected, until something else is decided. */
  foundUri: string | null;

  /** Counts decisions about what to load. Answers and renders that belong to an earlier one are ignored. */
  generation: number;
  load: TargetLoad;
  /** The page before the target was terminated, because it kept the target from being loaded. */
  terminatedForLoad: boolean;
  /** HTML of our own page, while that is on the screen or on its way there. */
  ownPage: string | undefined;
  isOwnPageShown: boolean;
  /** `refresh`: of the own page that is on the screen, or of a notice; `outdated`: its facts changed meanwhile. */
  rendering: { purpose: 'target' | 'refresh'; outdated: boolean } | undefined;

  /** In a row, since a host's request or since the page was last stable. */
  failures: number;
  /** The timer `stable` runs or has fired since the last sign of trouble. */
  stableStarted: boolean;
  missedPongs: number;
  /** What the timer `retry` starts. */
  retryStage: Stage;
  /** The last delay of the timer `unit`, in ms. */
  unitDelayMs: number;
}

export const NO_LOAD: TargetLoad = { stage: 'none', id: undefined };

export const INITIAL_STATE: Readonly<KeeperState> = {
  target: { mode: 'waiting' },
  missing: undefined,
  navigatedTo: undefined,
  loading: false,
  error: null,
  documentError: null,
  connection: 0,
  connected: false,
  settings: 'none',
  ending: false,
  foundUri: null,
  generation: 0,
  load: NO_LOAD,
  terminatedForLoad: false,
  ownPage: undefined,
  isOwnPageShown: false,
  rendering: undefined,
  failures: 0,
  stableStarted: false,
  missedPongs: 0,
  retryStage: 'page',
  unitDelayMs: 0,
};

/**
 * `retry`: after a failure; `load`: the current step of a load takes too long; `stable`: the page has been up long
 * enough; `ping`: time for the next one; `unit`: no new browser has come.
 */
export type TimerName = 'retry' | 'load' | 'stable' | 'ping' | 'unit';

/** Answers carry the connection or the generation of their request. */
export type KeeperEvent =
  | BrowserEvent
  | { event: 'start'; target: Target; missing: MissingBundle | undefined }
  | { event: 'show_target'; target: Target }
  | { event: 'reload' }
  | { event: 'restart_browser'; stage: Exclude<Stage, 'page'> }
  | { event: 'bundle_arrived'; name: string; problem: BundleProblem | undefined }
  | { event: 'own_page_changed' }
  | { event: 'settings_changed' }
  | { event: 'timer'; timer: TimerName }
  | { event: 'prepared'; connection: number }
  | { event: 'configured'; connection: number }
  | { event: 'command_failed'; connection: number; reason: string }
  | { event: 'quit_failed'; connection: number; reason: string }
  | { event: 'unit_restart_failed'; connection: number }
  | { event: 'pong'; connection: number; answered: boolean }
  | { event: 'load_sent'; id: number }
  | { event: 'page_terminated'; generation: number; next: AfterTermination }
  | { event: 'rendered'; generation: number; html: string | undefined };

export type EventKind = KeeperEvent['event'];
export type EventOf<K extends EventKind> = Extract<KeeperEvent, { event: K }>;

/** What follows when the page is terminated: load the target, or count a page that did not respond as a failure. */
export type AfterTermination = 'load' | 'failure';

/** To be carried out in order, before the next event. */
export type Effect =
  | { do: 'prepare_browser' }
  | { do: 'configure' }
  | { do: 'configure_again' }
  | { do: 'report_ready' }
  | { do: 'load'; address: string }
  | { do: 'load_own_page'; html: string }
  | { do: 'reload' }
  | { do: 'terminate_page'; next: AfterTermination }
  | { do: 'ping' }
  | { do: 'quit' }
  | { do: 'restart_unit' }
  | { do: 'render'; notice: Notice | undefined }
  | { do: 'set_timer'; timer: TimerName; ms: number }
  | { do: 'cancel_timer'; timer: TimerName }
  | { do: 'report_first_frame' }
  | { do: 'warn'; fields: object; message: string };

/** One event's change of the state, with the effects that it has so far. */
export class Transition {
  readonly config: KeeperConfig;
  readonly state: KeeperState;
  readonly effects: Effect[] = [];

  constructor(config: KeeperConfig, before: Readonly<KeeperState>) {
    this.config = config;
    this.state = { ...before };
  }

  emit(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Starts a timer, or starts it again. */
  setTimer(timer: TimerName, ms: number): void {
    this.emit({ do: 'set_timer', timer, ms });
  }

  cancelTimer(timer: TimerName): void {
    this.emit({ do: 'cancel_timer', timer });
  }

  /** A new decision about what to load: nothing that is pending of an earlier one counts any more. */
  supersede(): void {
    this.state.generation += 1;
    this.state.load = NO_LOAD;
    this.state.documentError = null;
    this.state.foundUri = null;
    this.state.rendering = undefined;
    this.cancelTimer('retry');
    this.cancelTimer('load');
  }

  /** The target is on its way, unless there is no browser and nothing that would start one. */
  expectTarget(): void {
    this.state.loading = this.state.connected || this.config.kioskInstalled;
  }

  /** Whether the browser takes commands about a page. */
  get isReady(): boolean {
    return this.state.settings === 'taken' && !this.state.ending;
  }
}
