/** Types of the fleet client's state machine: its state, its events, and the effects it requests. */
import type { Artifact, Deployment, Poll } from './ddi-messages.ts';
import type { UpdaterState } from './ports.ts';

/** What the references of the fleet client begin with. */
export const REFERENCE_PREFIX = 'hawkbit:';
/** Digits of the server's key in a reference. */
const KEY_DIGITS = 8;
const REFERENCE = new RegExp(`^${REFERENCE_PREFIX}([\\w-]+):(?:([\\da-f]{${KEY_DIGITS}}):)?[\\w-]+$`);

/** A new name for an install. Names action and server for a client that has lost its file. */
export function referenceOf(id: string, server: string, unique: string): string {
  return `${REFERENCE_PREFIX}${id}:${server.slice(0, KEY_DIGITS)}:${unique}`;
}

/** The action that a reference names; undefined if it is another server's. Those of older versions name no server. */
export function actionOf(reference: string, server: string | undefined): string | undefined {
  const [, id, key] = REFERENCE.exec(reference) ?? [];
  return key === undefined || server?.startsWith(key) ? id : undefined;
}

/** An action of the server that this device works on. */
export interface Action {
  id: string;
  /** Names the install in the updater; another one for each time that an action is begun. */
  reference: string;
  /** As the server names it. */
  version: string;
  /**
   * `waiting`: nothing of it is being written. `installing`: into the inactive slot. `installed`: it can be applied.
   * `applying`: from before the reboot is requested until its result is known.
   */
  phase: 'waiting' | 'installing' | 'installed' | 'applying';
  /** How often it was applied, and how often its install was lost again. */
  applied: number;
  lost: number;
}

/** How an action ended. */
export interface Result {
  id: string;
  /** As the server names it. */
  version: string;
  success: boolean;
  message: string;
  /** Whether the server has taken it. The result is kept until the server stops offering the action. */
  delivered: boolean;
}

export interface CancelReply {
  id: string;
  accepted: boolean;
  message: string;
}

/** What is on the disk. */
export interface Stored {
  /** Which server and device it belongs to; undefined: the fleet client is off. */
  server: string | undefined;
  action: Action | undefined;
  result: Result | undefined;
  cancelReply: CancelReply | undefined;
}

/** A request to the server. One is under way at a time. */
export type DdiRequest =
  | { kind: 'poll' }
  | { kind: 'read_deployment'; id: string }
  | { kind: 'read_cancel'; id: string }
  | { kind: 'send_result'; result: Result }
  | { kind: 'send_cancel_reply'; reply: CancelReply }
  | { kind: 'send_progress'; id: string; percent: number; note?: string }
  | { kind: 'send_downloaded'; id: string }
  | { kind: 'send_attributes' };

export type FailureKind =
  | 'network'
  | 'unauthorized'
  | 'refused'
  /** The server does not know the action, or it is closed there. */
  | 'gone'
  | 'server_error'
  | 'invalid_answer';

export interface Failure {
  kind: FailureKind;
  message: string;
  /** The server asks for no request before, in ms. */
  retryAfterMs?: number;
}

export interface Problem {
  code: Exclude<FailureKind, 'gone'> | 'install' | 'storage';
  message: string;
}

/** A kind of request that failed, and has not succeeded since. */
export interface Failing {
  /** Failures in a row. */
  count: number;
  problem: Problem;
}

/** In ms. */
export interface Timing {
  /** Limits of the polling interval, which the server chooses, and what is used when it does not. */
  pollMs: { shortest: number; longest: number; usual: number };
  /** Delay after the first failure, which doubles with each further one up to the last. */
  retryMs: { first: number; last: number };
  /** How often the updater is asked while a result is awaited. */
  resultMs: number;
}

export interface FleetState extends Stored {
  /** Counts configurations: what was requested for an earlier one is ignored. */
  session: number;
  /** There was no file that can be used. The updater knows how the last update ended. */
  isLost: boolean;
  /** The updater was asked what became of the action. */
  recovered: boolean;
  /** A new version runs that this client has not applied, and is not confirmed: `retry` reads the updater again. */
  isUnclear: boolean;
  /** The request under way. */
  request: DdiRequest | undefined;
  /** The timer `poll` runs until the next poll, or, after a failure, until the next request. */
  pollTimer: 'none' | 'idle' | 'paused';
  /** No install, apply or reading of the updater before the timer `retry`. */
  isRetrying: boolean;
  pollDue: boolean;
  sleepMs: number;
  connected: boolean;
  /** By the kind of request: delays grow although others succeed. */
  failing: Readonly<Partial<Record<DdiRequest['kind'], Failing | undefined>>>;
  /** Failed attempts of the updater. */
  attempts: number;
  /** Doubtful failures of the install. */
  doubts: number;
  /** The server offers the action of the delivered result again. */
  resend: boolean;
  /** How often the server has refused the result. */
  refusals: number;
  updaterProblem: Problem | undefined;
  /** To be read. */
  offer: string | undefined;
  cancel: string | undefined;
  /** What the server allows for the action; undefined while it has not been read since the last poll. */
  deployment: (Deployment & { artifact: Artifact }) | undefined;
  /** The reference that the updater installs or applies now, also if its action was dropped. */
  running: string | undefined;
  /** 0 to 1. */
  progress: number;
  /** To be sent. */
  attributes: boolean;
  /** No attributes before the timer `attributes`: the server has not taken them. */
  attributesHeld: boolean;
  progressReport: { percent: number; note?: string } | undefined;
  downloadedReport: boolean;
  /** The last percentage in a report. */
  reportedPercent: number;
}

export type FleetEvent =
  /** At the start, and when the configuration has changed. */
  | { event: 'configured'; server: string | undefined }
  | { event: 'timer'; timer: TimerName }
  | { event: 'polled'; session: number; poll: Poll }
  /** @param reference a new one, for an action that begins */
  | { event: 'deployment_read'; session: number; deployment: Deployment; reference: string }
  | { event: 'cancel_read'; session: number; id: string }
  /** The server has taken what was sent. */
  | { event: 'sent'; session: number }
  | { event: 'request_failed'; session: number; failure: Failure }
  | { event: 'updater_read'; session: number; updater: UpdaterState }
  | { event: 'updater_failed'; session: number; message: string }
  | { event: 'progress'; reference: string; fraction: number }
  | { event: 'installed'; reference: string }
  | {
      event: 'install_failed';
      reference: string;
      kind: InstallFailure;
      message: string;
      retryAfterMs?: number;
    }
  /** The reboot is requested. */
  | { event: 'applied'; reference: string }
  | { event: 'apply_failed'; reference: string; isLost: boolean; message: string };

/** `final`: another attempt fails, too. `again`: it may succeed. `doubtful`: one of both. */
export type InstallFailure = 'final' | 'again' | 'doubtful';

/** `poll`: the next request. `retry`: the next attempt of the updater. `attributes`: they are sent again. */
export type TimerName = 'poll' | 'retry' | 'attributes';

/** Which part of a delay is random: around it, only shorter, only longer. */
export type Spread = 'around' | 'below' | 'above';

export type FleetEffect =
  /** To be on the disk before the next effect begins. */
  | { do: 'save'; stored: Stored }
  | { do: 'request'; session: number; request: DdiRequest }
  | { do: 'read_updater'; session: number }
  | { do: 'install'; reference: string; artifact: Artifact }
  | { do: 'apply'; reference: string }
  | { do: 'discard'; reference: string }
  | { do: 'set_timer'; timer: TimerName; ms: number; spread: Spread }
  | { do: 'cancel_timer'; timer: TimerName }
  | { do: 'log'; level: 'info' | 'warn'; details: object; message: string };

export const NOTHING_STORED: Stored = {
  server: undefined,
  action: undefined,
  result: undefined,
  cancelReply: undefined,
};

/** @param stored undefined if there was no file that can be used */
export function initialState(stored: Stored | undefined): FleetState {
  return {
    ...(stored ?? NOTHING_STORED),
    session: 0,
    isLost: stored === undefined,
    recovered: false,
    isUnclear: false,
    request: undefined,
    pollTimer: 'none',
    isRetrying: false,
    pollDue: false,
    sleepMs: 0,
    connected: false,
    failing: {},
    attempts: 0,
    doubts: 0,
    resend: false,
    refusals: 0,
    updaterProblem: undefined,
    offer: undefined,
    cancel: undefined,
    deployment: undefined,
    running: undefined,
    progress: 0,
    attributes: false,
    attributesHeld: false,
    progressReport: undefined,
    downloadedReport: false,
    reportedPercent: 0,
  };
}
