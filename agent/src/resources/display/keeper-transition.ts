import type { Transition } from '../../base/machine.ts';
import type { AfterTermination, KeeperConfig, KeeperEffect, KeeperState, TimerName } from './keeper-state.ts';
import type { DisplayError } from './schema.ts';
import { noticeOf } from './target.ts';
import type { FailureKind, Stage, Step } from './timing.ts';

/** The new state and the effects of one event, with the operations that the keeper's rules share. */
export class KeeperTransition implements Transition<KeeperState, KeeperEffect> {
  readonly config: KeeperConfig;
  readonly state: KeeperState;
  readonly effects: KeeperEffect[] = [];

  constructor(config: KeeperConfig, before: Readonly<KeeperState>) {
    this.config = config;
    this.state = { ...before };
  }

  emit(effect: KeeperEffect): void {
    this.effects.push(effect);
  }

  warn(fields: object, message: string): void {
    this.emit({ do: 'warn', fields, message });
  }

  /** Starts a timer, or starts it again. */
  setTimer(timer: TimerName, ms: number): void {
    this.emit({ do: 'set_timer', timer, ms });
  }

  cancelTimer(timer: TimerName): void {
    this.emit({ do: 'cancel_timer', timer });
  }

  /** Whether the browser takes commands about a page. */
  get isReady(): boolean {
    return this.state.settings === 'taken' && !this.state.ending;
  }

  /** A new decision about what to load: everything pending from an earlier one is ignored. */
  supersede(): void {
    this.state.generation += 1;
    this.state.load = { stage: 'none' };
    this.state.foundUri = null;
    this.state.rendering = undefined;
    this.cancelTimer('retry');
    this.cancelTimer('load');
  }

  /** The target is on its way, unless there is no browser and nothing that would start one. */
  expectTarget(): void {
    this.state.loading = this.state.connected || this.config.kioskInstalled;
  }

  /** Loads the target, in place of everything that is under way. Without a ready browser it is loaded when one is. */
  show(): void {
    this.supersede();
    const { settings, ending, target, ownPage } = this.state;
    if (settings === 'failed' && !ending) this.configure();
    if (!this.isReady) return;
    if (target.mode === 'waiting') this.renderOwnPage('target');
    else {
      if (!ownPage?.shown) this.state.ownPage = undefined; // this load cancels it
      this.emit({ do: 'load', address: target.url });
      this.followLoad();
    }
  }

  /** Gives the browser its settings. It opens its files only then. */
  configure(): void {
    this.state.settings = 'none';
    this.emit({ do: 'configure' });
  }

  /**
   * The load that was sent just now brings the target. Only a document of others can delay its start; a new process is
   * just slow.
   */
  followLoad(): void {
    const { beginMs, documentMs } = this.config.timing;
    const { hasDocument, ownPage } = this.state;
    this.state.load = { stage: 'requested' };
    this.setTimer('load', hasDocument && !ownPage?.shown ? beginMs : documentMs);
  }

  /** The waiting page, or the notice about the present error. */
  renderOwnPage(purpose: 'target' | 'refresh'): void {
    if (!this.isReady) return;
    const { target, error, missing } = this.state;
    this.state.rendering = { purpose, outdated: false };
    this.emit({ do: 'render', notice: noticeOf(target, error, missing) });
  }

  /** The page is to be replaced by a new one, in a new process. */
  terminateBroken(next: AfterTermination): void {
    this.supersede(); // a page that is still being rendered must not be loaded before this one has ended
    this.emit({ do: 'terminate_page', next });
  }

  /** The target's page is on the screen, and its load has ended or timed out. */
  markUp(): void {
    this.state.load = { ...this.state.load, stage: 'committed' };
    this.state.loading = false;
    this.cancelTimer('load');
    this.startStableTimer();
  }

  startStableTimer(): void {
    if (this.state.stableStarted || this.state.frozen) return;
    this.state.stableStarted = true;
    this.setTimer('stable', this.config.timing.stableMs);
  }

  /** The time until failures are forgotten starts again when the page is up or answers a ping. */
  stopStableTimer(): void {
    this.state.stableStarted = false;
    this.cancelTimer('stable');
  }

  /** The target is not on the screen. It is tried again after a delay. */
  fail(kind: FailureKind, code: DisplayError['code'], message: string): void {
    this.supersede();
    this.countFailure({ code, message });
    this.state.navigatedTo = undefined;
    this.planRetry(this.config.timing.step(this.state.failures, kind));
  }

  countFailure(error: DisplayError): void {
    this.stopStableTimer();
    this.state.failures += 1;
    this.state.error = error;
    this.warn({ error, failures: this.state.failures }, 'the target is not on the screen');
  }

  planRetry({ delayMs, stage, notice }: Step): void {
    this.state.loading = false;
    this.state.retryStage = stage;
    this.setTimer('retry', delayMs);
    if (notice) this.renderOwnPage('refresh');
  }

  /** Ends the browser, or the compositor with it. The target is loaded when a new browser comes. */
  restart(stage: Exclude<Stage, 'page'>): void {
    const { connected } = this.state;
    this.supersede();
    this.expectTarget();
    this.state.ending = connected;
    // Also with a browser that is still connected: it may never end.
    this.expectBrowser();
    this.emit({ do: stage === 'browser' && connected ? 'quit' : 'restart_unit' });
  }

  /** A new browser should come by itself. When none does, the unit is restarted, more and more rarely. */
  expectBrowser(): void {
    if (!this.state.connected && !this.config.kioskInstalled) return;
    this.state.unitDelayMs = this.config.timing.awayMs;
    this.setTimer('unit', this.state.unitDelayMs);
  }
}
