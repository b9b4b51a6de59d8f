import assert from 'node:assert/strict';
import type { Poll } from '../ddi-messages.ts';
import { fleetMachine } from '../fleet-machine.ts';
import {
  type DdiRequest,
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  initialState,
  referenceOf,
  type Stored,
  type TimerName,
  type Timing,
} from '../fleet-state.ts';
import type { UpdaterState } from '../ports.ts';

const TIMING: Timing = {
  pollMs: { shortest: 1, longest: 1000, usual: 100 },
  retryMs: { first: 1, last: 100 },
  resultMs: 1,
};
const machine = fleetMachine(TIMING);
/** Its first digits are those in references. */
const SERVER = '12345678901234567890';
const NOT_ACTIVATED = 'The slot was not activated.';
/** More steps than any healthy device needs to end an update. */
const MAX_SETTLING = 2000;

interface ServerAction {
  id: string;
  /** `forgotten`: ended by the server without asking the device. */
  state: 'running' | 'canceling' | 'success' | 'failure' | 'canceled' | 'forgotten';
}

/** A device, its disk, its slots and a server, each of which can fail at any step. */
export class FleetWorld {
  /** On the server; the last one is offered. */
  readonly actions: ServerAction[] = [];
  isConnected = true;
  mayDownload = true;
  mayReboot = true;
  #isStubborn: boolean;
  install: 'works' | 'final' | 'again' | 'doubtful' = 'works';
  boots = true;
  applies: 'works' | 'conflict' | 'unavailable' = 'works';

  /** Undefined: there is no file, or it cannot be used. */
  disk: Stored | undefined;
  state: Readonly<FleetState> = initialState(undefined);
  /** As in the driver: an event waits until all effects of the one before are performed. */
  #events: FleetEvent[] = [];
  #effects: FleetEffect[] = [];
  #request: { request: DdiRequest; session: number } | undefined;
  #reading: number | undefined;
  #installing: string | undefined;
  #applying: string | undefined;
  readonly #timers = new Set<TimerName>();
  updater: UpdaterState = {
    version: '1',
    pending: null,
    lastResult: null,
    confirmed: true,
    rebooting: false,
  };
  /** The slot that was applied and has to be confirmed or given up. */
  #trial: string | undefined;
  #references = 0;
  /** References by the id of their action. */
  readonly #idOf = new Map<string, string>();
  /** Ids that run, or ran; that ended on this device; whose cancellation was accepted; how often each was applied. */
  readonly good = new Set<string>();
  readonly ended = new Set<string>();
  readonly cancelled = new Set<string>();
  readonly reboots = new Map<string, number>();
  /** Ids that somebody has applied by the API. */
  readonly #byHand = new Set<string>();

  /**
   * @param isStubborn the server offers the last action although it has ended. It never stops before `heal`: an offer
   *   that was withdrawn before would be a new one, since gooseBit has one id for all offers of a bundle.
   */
  constructor(isStubborn: boolean) {
    this.#isStubborn = isStubborn;
    this.startAgent();
  }

  get offered(): ServerAction | undefined {
    return this.actions.at(-1);
  }

  startAgent(): void {
    this.#events = [];
    this.#effects = [];
    this.#request = undefined;
    this.#reading = undefined;
    this.#applying = undefined;
    this.#timers.clear();
    // RAUC goes on without the agent; whether its end is noticed is up to the updater.
    if (this.#installing !== undefined && this.#trial === undefined && this.install === 'works') {
      this.#setPending(this.#installing);
    }
    this.#installing = undefined;
    this.state = initialState(this.disk);
    this.configure();
  }

  configure(): void {
    this.send({ event: 'configured', server: SERVER });
  }

  /** The file cannot be used: only the updater remembers what has ended, and only the last update. */
  loseFile(): void {
    this.disk = undefined;
    const known = this.#idOf.get(this.updater.lastResult?.reference ?? '');
    const forgotten = [...this.ended, ...this.cancelled].filter((id) => id !== known);
    // What such a server offers would be begun anew.
    if (forgotten.length > 0) this.#isStubborn = false;
    for (const id of forgotten) {
      this.ended.delete(id);
      this.cancelled.delete(id);
    }
    this.startAgent();
  }

  /** The power is cut, or the device reboots. */
  reboot(): void {
    this.#installing = undefined;
    const confirmed = this.updater.confirmed && this.#trial === undefined;
    this.updater = { ...this.updater, confirmed, rebooting: false };
    this.startAgent();
  }

  /** Somebody applies what is installed, by the API. The device reboots later. */
  applyByHand(): void {
    const { pending } = this.updater;
    if (pending?.reference === undefined || pending.reference === null || this.#trial !== undefined) return;
    // After a loss of the file, until it is discarded: it would be installed once more.
    if (this.disk === undefined || this.state.action?.reference !== pending.reference) return;
    this.#trial = pending.reference;
    this.#byHand.add(this.#idOf.get(pending.reference) ?? '');
    this.updater = { ...this.updater, pending: null, rebooting: true };
  }

  /** The power is cut in the middle of `apply`: the slot was not activated, and the update is still there. */
  cutInApply(): void {
    const reference = this.#applying;
    const { pending } = this.updater;
    if (reference === undefined || pending?.reference !== reference) return;
    const reason = { code: 'not_started', message: NOT_ACTIVATED };
    this.updater = {
      ...this.updater,
      lastResult: { outcome: 'failed', reason, reference, version: pending.version },
    };
    this.startAgent();
  }

  /** The trial of a slot ends: the new version is confirmed, or the old one runs again. */
  endTrial(): void {
    const reference = this.#trial;
    if (reference === undefined || this.updater.confirmed) return;
    this.#trial = undefined;
    const id = this.#idOf.get(reference) ?? '';
    const outcome = this.boots ? 'success' : 'rolled_back';
    if (this.boots) this.good.add(id);
    const reason = this.boots ? null : { code: 'unhealthy', message: 'It painted nothing.' };
    this.updater = {
      ...this.updater,
      confirmed: true,
      lastResult: { outcome, reason, reference, version: id },
    };
    if (!this.boots) this.startAgent();
  }

  send(event: FleetEvent): void {
    this.#events.push(event);
    this.#takeEvents();
  }

  #takeEvents(): void {
    while (this.#effects.length === 0) {
      const event = this.#events.shift();
      if (!event) return;
      this.#take(event);
    }
  }

  #take(event: FleetEvent): void {
    const { state, effects } = machine(this.state, event);
    this.state = state;
    this.#effects.push(...effects);
    const { action, result } = state;
    if (action) this.#idOf.set(action.reference, action.id);
    const isPending = this.#idOf.get(this.updater.pending?.reference ?? '') === result?.id;
    assert.ok(
      !isPending || result?.message !== NOT_ACTIVATED,
      'an update that can be applied has not failed',
    );
    assert.ok(!action || result?.id !== action.id, 'an ended action is not begun again');
  }

  /** Carries out one effect. */
  step(): boolean {
    const effect = this.#effects.shift();
    if (effect) this.#perform(effect);
    this.#takeEvents();
    return effect !== undefined;
  }

  stepAll(): void {
    while (this.step());
  }

  fire(timer: TimerName): void {
    if (this.#timers.delete(timer)) this.send({ event: 'timer', timer });
  }

  /** The request under way is answered, or fails. */
  answer(): void {
    const { request, session } = this.#request ?? {};
    if (!request || session === undefined) return;
    this.#request = undefined;
    if (!this.isConnected) {
      this.send({ event: 'request_failed', session, failure: { kind: 'network', message: 'cut' } });
    } else this.send(this.#serve(request, session));
  }

  /** The server has done what was asked, but the answer is lost. */
  loseAnswer(): void {
    const { request, session } = this.#request ?? {};
    if (!request || session === undefined) return;
    this.#serve(request, session);
    this.#request = undefined;
    this.send({ event: 'request_failed', session, failure: { kind: 'network', message: 'cut' } });
  }

  answerUpdater(): void {
    const session = this.#reading;
    if (session === undefined) return;
    this.#reading = undefined;
    this.send({ event: 'updater_read', session, updater: this.updater });
  }

  progress(fraction: number): void {
    if (this.#installing === undefined) return;
    this.send({ event: 'progress', reference: this.#installing, fraction });
  }

  endInstall(): void {
    const reference = this.#installing;
    if (reference === undefined) return;
    this.#installing = undefined;
    if (this.#trial !== undefined) {
      this.send({ event: 'install_failed', reference, kind: 'again', message: 'conflict' });
    } else if (this.install === 'works') {
      this.#setPending(reference);
      this.send({ event: 'installed', reference });
    } else this.send({ event: 'install_failed', reference, kind: this.install, message: this.install });
  }

  /** The updater answers `apply`. The device reboots when it was accepted. */
  endApply(): void {
    const reference = this.#applying;
    if (reference === undefined) return;
    this.#applying = undefined;
    if (this.#trial === reference) {
      this.send({ event: 'applied', reference });
      return;
    }
    if (this.applies !== 'works' || this.updater.pending?.reference !== reference) {
      const isLost = this.applies === 'conflict' || this.updater.pending?.reference !== reference;
      this.send({ event: 'apply_failed', reference, isLost, message: 'no' });
      return;
    }
    const id = this.#idOf.get(reference) ?? '';
    this.reboots.set(id, (this.reboots.get(id) ?? 0) + 1);
    this.#trial = reference;
    this.updater = { ...this.updater, pending: null, rebooting: true };
    this.send({ event: 'applied', reference });
  }

  /** Whatever is under way ends, up to `apply`. */
  round(): void {
    this.stepAll();
    this.answer();
    this.answerUpdater();
    this.endInstall();
    this.fire('poll');
  }

  /** Nothing is interrupted any more: everything ends, and the server knows how. */
  heal(): void {
    this.isConnected = true;
    this.mayDownload = true;
    this.mayReboot = true;
    this.#isStubborn = false;
    if (this.install !== 'final') this.install = 'works';
    this.applies = 'works';
    for (let round = 0; round < MAX_SETTLING && !this.#isSettled(); round += 1) {
      this.round();
      this.endApply();
      if (this.#trial !== undefined && this.updater.confirmed) this.reboot();
      else this.endTrial();
      this.stepAll();
      this.fire('retry');
    }
    assert.ok(this.#isSettled(), JSON.stringify([this.actions, this.state]));
    for (const { id, state } of this.actions) {
      if (state === 'success') assert.ok(this.good.has(id), `${id} was reported as running`);
      // What somebody applies just then is not noticed before the server is told.
      if (this.#byHand.has(id)) continue;
      if (state === 'failure') assert.ok(!this.good.has(id), `${id} runs`);
      if (state === 'canceled') assert.ok(!this.good.has(id), `${id} was cancelled`);
    }
  }

  #isSettled(): boolean {
    const { action, result, cancelReply, request } = this.state;
    const isOpen = this.actions.some(({ state }) => state === 'running' || state === 'canceling');
    const isIdle = request === undefined || request.kind === 'poll';
    return isIdle && !isOpen && !action && !result && !cancelReply && this.#trial === undefined;
  }

  #perform(effect: FleetEffect): void {
    switch (effect.do) {
      case 'save':
        this.disk = effect.stored;
        if (effect.stored.result) this.ended.add(effect.stored.result.id);
        if (effect.stored.cancelReply?.accepted) this.cancelled.add(effect.stored.cancelReply.id);
        return;
      case 'request':
        assert.notEqual(this.#request?.session, effect.session, 'one request at a time');
        if (effect.session === this.state.session) this.#request = effect;
        return;
      case 'read_updater':
        this.#reading = effect.session;
        return;
      case 'install': {
        const id = this.#idOf.get(effect.reference) ?? '';
        assert.equal(this.#installing, undefined, 'one install at a time');
        assert.ok(!this.good.has(id), `${id} runs and is not installed again`);
        assert.ok(
          !this.ended.has(id) && !this.cancelled.has(id),
          `${id} has ended and is not installed again`,
        );
        assert.equal(this.disk?.action?.reference, effect.reference, 'an install is known after a power cut');
        this.updater = { ...this.updater, pending: null };
        this.#installing = effect.reference;
        return;
      }
      case 'apply': {
        const id = this.#idOf.get(effect.reference) ?? '';
        const action = this.disk?.action;
        assert.ok(action?.reference === effect.reference && action.phase === 'applying', 'stored before');
        assert.ok(!this.cancelled.has(id), 'what was cancelled is not applied');
        this.#applying = effect.reference;
        return;
      }
      case 'discard':
        if (this.updater.pending?.reference === effect.reference)
          this.updater = { ...this.updater, pending: null };
        return;
      case 'set_timer':
        assert.ok(effect.ms >= 1 && effect.ms <= 1000);
        this.#timers.add(effect.timer);
        return;
      case 'cancel_timer':
        this.#timers.delete(effect.timer);
        return;
      case 'log':
    }
  }

  #setPending(reference: string): void {
    const version = this.#idOf.get(reference) ?? '';
    this.updater = { ...this.updater, pending: { version, reference } };
  }

  /** What the server does, and its answer. */
  #serve(request: DdiRequest, session: number): FleetEvent {
    const gone = { kind: 'gone', message: '404' } as const;
    const known = (id: string) => this.actions.find((each) => each.id === id);
    switch (request.kind) {
      case 'poll':
        return { event: 'polled', session, poll: this.#poll() };
      case 'read_deployment': {
        this.#references += 1;
        const { id } = request;
        const { mayDownload, mayReboot } = this;
        const deployment = { id, version: id, mayDownload, mayReboot, artifact: { size: 1, links: {} } };
        const reference = referenceOf(id, SERVER, String(this.#references));
        return { event: 'deployment_read', session, deployment, reference };
      }
      case 'read_cancel':
        return { event: 'cancel_read', session, id: request.id };
      case 'send_result': {
        const action = known(request.result.id);
        const isOpen = action?.state === 'running' || action?.state === 'canceling';
        if (action && isOpen) action.state = request.result.success ? 'success' : 'failure';
        return isOpen ? { event: 'sent', session } : { event: 'request_failed', session, failure: gone };
      }
      case 'send_cancel_reply': {
        const action = known(request.reply.id);
        if (action?.state === 'canceling') action.state = request.reply.accepted ? 'canceled' : 'running';
        return { event: 'sent', session };
      }
      case 'send_progress':
      case 'send_downloaded':
        assert.ok(
          !['success', 'failure'].includes(known(request.id)?.state ?? ''),
          'no progress after the result',
        );
        return { event: 'sent', session };
      case 'send_attributes':
        return { event: 'sent', session };
    }
  }

  #poll(): Poll {
    const { offered } = this;
    const hasEnded = offered?.state === 'success' || offered?.state === 'failure';
    const isOffered = offered?.state === 'running' || (this.#isStubborn && hasEnded);
    return {
      sleepMs: 10,
      offer: isOffered ? offered?.id : undefined,
      cancel: offered?.state === 'canceling' ? offered.id : undefined,
      wantsAttributes: false,
    };
  }
}
