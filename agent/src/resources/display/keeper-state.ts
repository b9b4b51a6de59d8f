/** Types of the keeper's state machine: its state, its events, and the effects it requests. */
import type { BrowserEvent } from './ports.ts';
import type { DisplayError } from './schema.ts';
import type { LocatedTarget, MissingBundle, Notice } from './target.ts';
import type { Stage, TIMING } from './timing.ts';

/** Settings that stay the same while the keeper runs. */
export interface KeeperConfig {
  timing: typeof TIMING;
  /** There is a unit that starts the browser again whenever it ends. */
  kioskInstalled: boolean;
}

/** The load that brings the target. */
export interface TargetLoad {
  /** `committed`: the target's document is on the screen, also while and after the rest of it is loaded. */
  stage: 'none' | 'requested' | 'started' | 'committed';
  /** Of the browser's load events; undefined when no event can match. */
  id?: number | undefined;
}

/** The state, with its initial values. */
export class KeeperState {
  target: LocatedTarget = { mode: 'waiting' };
  /** Why the target is the waiting page instead of a bundle. */
  missing: MissingBundle | undefined;
  /** Where the page navigated itself to, also within the document, away from the target. */
  navigatedTo: string | undefined;
  loading = false;
  /** Why the target is not on the screen, or why the document on the screen is not the page that was meant. */
  error: DisplayError | null = null;

  /** Connections so far. Answers of an earlier one are ignored. */
  connection = 0;
  connected = false;
  /** Whether it got its settings on this connection. Without them it takes no commands about a page. */
  settings: 'none' | 'taken' | 'failed' = 'none';
  /** The browser is being ended by us. It gets no loads, and its end is not a failure. */
  ending = false;
  /** The document that was on the screen when the browser connected, until something else is decided. */
  foundUri: string | null = null;

  /** The browser has a document, which can keep the next one from being loaded. */
  hasDocument = false;

  /** Counts decisions about what to load. Answers and renders that belong to an earlier one are ignored. */
  generation = 0;
  load: TargetLoad = { stage: 'none' };
  /** The page before the target was terminated, because it kept the target from being loaded. */
  terminatedForLoad = false;
  /** Our own page, while it is on the screen (`shown`) or on its way there. */
  ownPage: { html: string; shown: boolean } | undefined;
  /** `refresh`: of the own page that is on the screen, or of a notice; `outdated`: its facts changed meanwhile. */
  rendering: { purpose: 'target' | 'refresh'; outdated: boolean } | undefined;

  /** In a row, since a host's request or since the page was last stable. */
  failures = 0;
  /** The timer `stable` runs or has fired since the last sign of trouble. */
  stableStarted = false;
  missedPongs = 0;
  /** No frame has reached the screen since it was found frozen. */
  frozen = false;
  /** How much the timer `retry` restarts. */
  retryStage: Stage = 'page';
  /** The last delay of the timer `unit`, in ms. */
  unitDelayMs = 0;
}

/**
 * `retry`: after a failure; `load`: the current step of a load takes too long; `stable`: the page has been up long
 * enough; `ping`, `frame`: time for the next check; `unit`: no new browser has come.
 */
export type TimerName = 'retry' | 'load' | 'stable' | 'ping' | 'frame' | 'unit';

/**
 * Of a check of frames. `frozen`: none reached the screen, and the page answers; `compositor_frozen`: the compositor does
 * not answer either. `unknown`: there is no screen, or the page does not answer, which the pings find out.
 */
export type FrameResult = 'shown' | 'frozen' | 'compositor_frozen' | 'unknown';

/** Answers carry the connection or the generation of their request. */
export type KeeperEvent =
  | Exclude<BrowserEvent, { event: 'pac_failed' }>
  | { event: 'start'; target: LocatedTarget; missing: MissingBundle | undefined }
  | { event: 'show_target'; target: LocatedTarget }
  | { event: 'reload' }
  | { event: 'restart_browser'; stage: Exclude<Stage, 'page'> }
  | { event: 'bundle_arrived'; name: string }
  | { event: 'own_page_changed' }
  | { event: 'timer'; timer: TimerName }
  | { event: 'configured'; connection: number }
  | { event: 'command_failed'; connection: number; reason: string }
  | { event: 'quit_failed'; connection: number; reason: string }
  | { event: 'unit_restart_failed'; connection: number }
  | { event: 'pong'; connection: number; answered: boolean }
  /**
   * `during` is the generation at the start of the check. It is not named `generation`, because this event is not
   * dropped if it is outdated: it must still restart the timer.
   */
  | { event: 'frames_checked'; connection: number; result: FrameResult; during: number }
  | { event: 'load_sent'; id: number }
  | { event: 'page_terminated'; generation: number; next: AfterTermination }
  | { event: 'rendered'; generation: number; html: string | undefined };

export type EventOf<K extends KeeperEvent['event']> = Extract<KeeperEvent, { event: K }>;

/** What follows when the page is terminated: load the target, or count a page that hung or was frozen as a failure. */
export type AfterTermination = 'load' | 'unresponsive' | 'frozen';

/** To be carried out in order, before the next event. */
export type KeeperEffect =
  | { do: 'configure' }
  | { do: 'load'; address: string }
  | { do: 'load_own_page'; html: string }
  | { do: 'reload' }
  | { do: 'terminate_page'; next: AfterTermination }
  | { do: 'ping' }
  | { do: 'check_frames' }
  | { do: 'quit' }
  | { do: 'restart_unit' }
  | { do: 'render'; notice: Notice | undefined }
  | { do: 'set_timer'; timer: TimerName; ms: number }
  | { do: 'cancel_timer'; timer: TimerName }
  | { do: 'report_first_frame' }
  | { do: 'warn'; fields: object; message: string };
