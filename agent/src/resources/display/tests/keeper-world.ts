import assert from 'node:assert/strict';
import { keeperMachine } from '../keeper-machine.ts';
import { type KeeperEffect, type KeeperEvent, KeeperState, type TimerName } from '../keeper-state.ts';
import { type LocatedTarget, type MissingBundle, type Notice, OWN_URI } from '../target.ts';
import { TIMING } from '../timing.ts';
import { FakeClock } from './fake-clock.ts';
import { CONFIG, KeeperInvariants } from './keeper-invariants.ts';
import { SimulatedBrowser } from './simulated-browser.ts';

const machine = keeperMachine(CONFIG);
/** Longer than all that a healthy world can still have to wait for. */
const QUIET_MS = 45 * 60_000;
/** A notice is on the screen after this time, when nothing is in its way. */
const NOTICE_MS = 1500;

/** An answer that is still to come. */
interface Awaited {
  generation?: number;
  connection?: number;
}

/** The state machine in a simulated world. What must always hold is checked after every event. */
export class KeeperWorld {
  readonly clock = new FakeClock();
  readonly browser = new SimulatedBrowser(this.clock, (event) => this.send(event));
  state: Readonly<KeeperState> = new KeeperState();
  /** On our own page. */
  facts = 0;
  renderMs = 5;
  rendersFail = false;
  readonly #invariants = new KeeperInvariants(this.clock, this.browser);
  readonly #timers = new Map<TimerName, () => void>();
  readonly #awaited = new Set<Awaited>();
  #agents = 0;
  #isAgentGone = false;
  #lastId = 0;

  constructor() {
    this.startAgent({ mode: 'waiting' });
    this.browser.start();
  }

  /** Also a restart of the agent: nothing is left of the earlier one, and the page stays. */
  startAgent(target: LocatedTarget, missing?: MissingBundle): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#awaited.clear();
    this.#agents += 1;
    this.#isAgentGone = true;
    this.browser.reconnect();
    this.#isAgentGone = false;
    this.state = new KeeperState();
    this.send({ event: 'start', target, missing });
  }

  send(event: KeeperEvent): void {
    if (this.#isAgentGone) return;
    const before = this.state;
    const { state, effects } = machine(before, event);
    if (state === before) return; // out of date
    this.state = state;
    this.#invariants.observe(event, before);
    for (const effect of effects) {
      this.#invariants.checkEffect(effect, event, this.state);
      this.#run(effect);
    }
    const isAwaited = [...this.#awaited].some(
      ({ generation, connection }) =>
        generation === this.state.generation || connection === this.state.connection,
    );
    this.#invariants.checkState(event, before, this.state, [...this.#timers.keys()], isAwaited);
  }

  /** Ends all trouble, waits until nothing more happens, and checks the outcome. */
  heal(): void {
    const { browser } = this;
    browser.outcomes.clear();
    Object.assign(browser, { resistance: 'none', hangs: false, pageHangs: false, ignoresQuit: false });
    Object.assign(browser, { unit: 'works', startsAgain: true, frozen: 'none', pageStartMs: 0 });
    Object.assign(this, { rendersFail: false, renderMs: 5 });
    this.clock.advance(QUIET_MS);
    const { missing } = this.state;
    const html = this.#html(missing && { what: '', why: missing.message, retrying: false });
    this.#invariants.checkQuiet(this.state, [...this.#timers.keys()], html);
  }

  #html(notice: Notice | undefined): string {
    return `${this.facts} ${notice?.why ?? ''}`;
  }

  #run(effect: KeeperEffect): void {
    const { browser } = this;
    const { connection, generation } = this.state;
    const failed = this.#answer({ event: 'command_failed', connection, reason: 'timeout' });
    switch (effect.do) {
      case 'load':
        browser.load(this.#sent(), { uri: effect.address }, failed);
        break;
      case 'reload':
        browser.reload(this.#sent(), failed);
        break;
      case 'load_own_page':
        browser.load(this.#sent(), { uri: OWN_URI, html: effect.html }, failed);
        break;
      case 'configure': {
        const awaited = { connection };
        const done = this.#answer({ event: 'configured', connection }, awaited);
        const refused = this.#answer({ event: 'command_failed', connection, reason: 'timeout' }, awaited);
        const agent = this.#agents;
        // Its data may be deleted first.
        this.clock.after(this.renderMs, () => {
          if (agent === this.#agents && connection === this.state.connection)
            browser.configure(done, refused);
        });
        break;
      }
      case 'terminate_page': {
        const awaited = { generation };
        const done = this.#answer({ event: 'page_terminated', generation, next: effect.next }, awaited);
        browser.terminatePage(
          done,
          this.#answer({ event: 'command_failed', connection, reason: 'timeout' }, awaited),
        );
        break;
      }
      case 'ping':
        browser.ping((answered) => this.#answer({ event: 'pong', connection, answered })(), TIMING.pongMs);
        break;
      case 'check_frames':
        browser.checkFrames((result) =>
          this.#answer({ event: 'frames_checked', connection, during: generation, result })(),
        );
        break;
      case 'quit':
        browser.quit(this.#answer({ event: 'quit_failed', connection, reason: 'timeout' }));
        break;
      case 'restart_unit':
        browser.restartUnit(this.#answer({ event: 'unit_restart_failed', connection }));
        break;
      case 'render': {
        const html = this.rendersFail ? undefined : this.#html(effect.notice);
        this.clock.after(
          this.renderMs,
          this.#answer({ event: 'rendered', generation, html }, { generation }),
        );
        break;
      }
      case 'set_timer':
        this.#setTimer(effect.timer, effect.ms);
        break;
      case 'cancel_timer':
        this.#timers.get(effect.timer)?.();
        this.#timers.delete(effect.timer);
        break;
      default:
    }
  }

  #sent(): number {
    const id = ++this.#lastId;
    if (this.state.load.stage === 'requested') this.#invariants.targetSent(id, this.state);
    // Before any other event, as the real runner does.
    this.state = machine(this.state, { event: 'load_sent', id }).state;
    return id;
  }

  #setTimer(timer: TimerName, ms: number): void {
    if (timer === 'retry' && ms >= 2000) this.#expectNotice();
    this.#timers.get(timer)?.();
    const cancel = this.clock.after(ms, () => {
      this.#timers.delete(timer);
      this.send({ event: 'timer', timer });
    });
    this.#timers.set(timer, cancel);
  }

  /** A long delay is explained on the screen. */
  #expectNotice(): void {
    const { browser, state } = this;
    if (state.target.mode === 'waiting') return;
    const { generation, error } = state;
    const [agent, ignored, stalls] = [this.#agents, browser.ignoredCommands, browser.stalls];
    this.clock.after(NOTICE_MS, () => {
      const isCurrent = agent === this.#agents && generation === this.state.generation && browser.configured;
      const isHindered =
        this.#invariants.isRefreshLost ||
        this.rendersFail ||
        browser.ignoredCommands !== ignored ||
        // A notice that the page on the screen did not let through is loaded again after the next failure.
        browser.stalls !== stalls ||
        browser.startsFor > 0 ||
        this.renderMs > 100;
      if (!isCurrent || isHindered) return;
      assert.equal(browser.document?.uri, OWN_URI, 'no notice on the screen');
      assert.ok(browser.document.html?.includes(error?.message ?? ''), 'the notice has another error');
    });
  }

  /** Passes an answer on, unless the agent was restarted since. */
  #answer(event: KeeperEvent, awaited: Awaited = {}): () => void {
    const agent = this.#agents;
    if (Object.keys(awaited).length > 0) this.#awaited.add(awaited);
    return () => {
      this.#awaited.delete(awaited);
      if (agent === this.#agents) this.send(event);
    };
  }
}
