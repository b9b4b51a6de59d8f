import { JsonLinePeer } from '../../base/json-line-peer.ts';
import { KindEvents } from '../../base/kind-events.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { PeerError } from '../../base/peer-calls.ts';
import type {
  Browser,
  BrowserEvent,
  BrowserSettings,
  KeyboardSettings,
  Load,
} from '../../resources/display/ports.ts';
import type { PageEvent, PageFailure, ScriptResult } from '../../resources/page/ports.ts';
import type { DeviceChannelEvent, PeripheralBrowser } from '../../resources/peripherals/ports.ts';
import type { Valid } from '../../validation/validator.ts';
import { type Answer, Configured, Picture } from './messages.ts';
import { type FindAsset, PageAssets } from './page-assets.ts';
import { PageChannels } from './page-channels.ts';
import { PageConsole } from './page-console.ts';
import { PageDevices } from './page-devices.ts';
import { type HelloMessage, helloReader, LIMITS } from './peer.ts';
import { scriptResult } from './results.ts';
import { type PeerHandlers, ProtocolRules } from './rules.ts';

/** Group that may connect: the user of the browser. */
const GROUP = 'kiosk';
/** Longest message to a page, in bytes of JSON (browser/PROTOCOL.md). */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Time for an answer, in ms: creating the first view takes seconds on a busy board. */
const CALL_MS = 30_000;
/** Time in which the browser tells that a script did not end in time, in ms. */
const SPARE_MS = 1000;
/** Codes of the browser that callers tell apart; every other refusal is `refused`. */
const CODES = ['timeout', 'busy', 'too_large', 'interrupted', 'no_page', 'channel_closed'] as const;

type AnswerMessage = Valid<typeof Answer>;

/** A browser that has said hello. */
interface BrowserPeer extends HelloMessage {
  rules: ProtocolRules;
}

/**
 * The agent's end of the browser's socket (browser/PROTOCOL.md). One browser at a time: a newer connection replaces an
 * older one, whose browser is ending.
 */
export class BrowserSocket implements Browser, PeripheralBrowser {
  readonly #log: Records;
  readonly #events = new KindEvents<BrowserEvent | PageEvent | DeviceChannelEvent>();
  readonly on = this.#events.on;
  readonly #peer: JsonLinePeer<BrowserPeer, AnswerMessage>;
  readonly #assets: PageAssets;
  readonly #channels: PageChannels;
  readonly #devices = new PageDevices({ send: (fields) => this.#call('devices', fields) });
  /** @throws RangeError for more than 128 origins, or a script of more than 256 KiB */
  readonly serveDevices = this.#devices.serve;
  readonly #console = new PageConsole({ send: (enabled) => this.#call('console', { enabled }) });
  /** Reports the page's console until the returned function is called. One listener at a time. */
  readonly followConsole = this.#console.follow;
  #findAsset: FindAsset = () => undefined;

  /** @param path of the unix socket, for example /run/vitrine/browser.sock */
  constructor(path: string, log: Logger) {
    this.#log = limitedLog(log);
    const readHello = helloReader(this.#log);
    this.#peer = new JsonLinePeer({
      ...{ path, mode: 0o660, group: GROUP, name: 'browser', limits: LIMITS, log: this.#log },
      protocol: {
        greet: (first) => {
          const hello = readHello(first);
          return hello && { ...hello, rules: new ProtocolRules(this.#peer.calls, this.#handlers) };
        },
        connected: (peer) => this.#connected(peer),
        disconnected: () => this.#disconnected(),
        take: ({ rules }, message) => rules.take(message),
      },
    });
    this.#channels = new PageChannels({
      emit: (event) => this.#events.emit(event),
      credit: (channel, size) => this.credit(channel, size),
      log: this.#log,
    });
    this.#assets = new PageAssets({
      find: (uri) => this.#findAsset(uri),
      answer: (fields) => this.#answerAsset(fields),
      log: this.#log,
    });
  }

  /**
   * Creates the socket, and replaces one that a killed agent left.
   * @throws Error when another agent is running there
   */
  start(): Promise<void> {
    return this.#peer.start();
  }

  /** Closes the socket; the page stays on the screen. */
  stop(): Promise<void> {
    return this.#peer.stop();
  }

  get connected(): boolean {
    return this.#peer.current !== undefined;
  }

  get pid(): number | null {
    return this.#peer.current?.pid ?? null;
  }

  get uri(): string | null {
    return this.#peer.current?.uri ?? null;
  }

  async configure(settings: BrowserSettings): Promise<boolean> {
    const answer = await this.#call('configure', settings);
    return Configured.fits(answer) && answer.restart_required;
  }

  async keyboard(settings: KeyboardSettings): Promise<void> {
    await this.#call('keyboard', settings);
  }

  async notice(text: string | null): Promise<void> {
    await this.#call('notice', { text });
  }

  load(uri: string): Load {
    return this.#load('load', { uri });
  }

  loadHtml(html: string, uri: string): Load {
    return this.#load('load_html', { html, uri });
  }

  reload(): Load {
    return this.#load('reload', { bypass_cache: true });
  }

  async ping(timeoutMs: number, { afterInput = false } = {}): Promise<boolean> {
    try {
      await this.#call('ping', { after_input: afterInput }, timeoutMs);
      return true;
    } catch (error) {
      // A refusal means that there is no page; its end is an event of its own.
      return error instanceof PeerError && error.code === 'refused';
    }
  }

  async showsFrames(timeoutMs: number): Promise<boolean> {
    try {
      await this.#call('frame', {}, timeoutMs);
      return true;
    } catch (error) {
      // The ends of the page and of the connection are events of their own.
      return !(error instanceof PeerError && error.code === 'timeout');
    }
  }

  async terminatePage(): Promise<void> {
    await this.#call('terminate_page', {});
  }

  async screenshot(): Promise<Buffer> {
    const answer = await this.#call('screenshot', {});
    if (!Picture.fits(answer)) throw failure('broken', 'the answer of the browser is incomplete');
    return Buffer.from(answer.png, 'base64');
  }

  async quit(): Promise<void> {
    await this.#call('quit', {});
  }

  /**
   * Runs a script in the page's top frame, with the page's own objects. Counts as a use of the page by a person.
   * @param body of an async function; its `return` gives the result, as JSON of 4 MiB and 200 levels at most
   * @param timeoutMs 600 000 at most; the script may go on after it
   */
  async evaluate(body: string, timeoutMs: number): Promise<ScriptResult> {
    const fields = { body, timeout_ms: timeoutMs };
    return scriptResult(await this.#call('evaluate', fields, timeoutMs + SPARE_MS));
  }

  /**
   * Sends a message to the page, on a channel of either kind; resolves when its listeners have run. Messages of a channel
   * arrive in order; 16 may wait, further ones are `busy`.
   * @param data JSON of 1 MiB at most
   */
  async send(channel: number, data: string): Promise<void> {
    if (Buffer.byteLength(data) > MAX_MESSAGE_BYTES) {
      throw failure('too_large', 'the message has more than 1 MiB of JSON');
    }
    await this.#call('message', { channel, data });
  }

  /**
   * Lets the page send messages of this size more, 64 at a time at most. A channel has no credits when it opens and
   * loses them with the connection to the agent; without credits the page's messages wait in the page.
   */
  credit(channel: number, size: number): void {
    this.#peer.current?.rules.credited(channel, size);
    // Without a browser there is no channel either.
    this.#call('credit', { channel, size }).catch(() => undefined);
  }

  serveAssets(find: FindAsset): void {
    this.#findAsset = find;
  }

  async #answerAsset(fields: object): Promise<void> {
    const rules = this.#peer.current?.rules;
    try {
      await this.#call('resource', fields);
    } finally {
      rules?.answered();
    }
  }

  #load(command: string, fields: object): Load {
    const id = this.#peer.calls.nextId();
    const accepted = this.#call(command, fields, CALL_MS, id).then(() => undefined);
    return { id, accepted };
  }

  #call(command: string, fields: object, timeoutMs = CALL_MS, id?: number): Promise<AnswerMessage> {
    return this.#peer.call(command, fields, timeoutMs, id);
  }

  #connected({ pid, webkit, uri }: BrowserPeer): void {
    this.#log.info({ pid, webkit }, 'the browser is connected');
    // Before the listeners below, which load pages.
    this.#devices.connected();
    this.#console.connected();
    this.#events.emit({ event: 'connected', uri });
  }

  #disconnected(): void {
    this.#assets.forget();
    this.#channels.closeAll();
    this.#events.emit({ event: 'disconnected' });
  }

  readonly #handlers: PeerHandlers = {
    answer: (answer) => this.#takeAnswer(answer),
    event: (event) => this.#events.emit(event),
    channel: (channel) => this.#channels.take(channel),
    message: (message, kind) => this.#channels.takeMessage(message, kind),
    resource: (request) => this.#assets.take(request),
    console: (message) => this.#console.take(message),
    ignored: (fields, reason) => this.#log.debug(fields, reason),
  };

  #takeAnswer(answer: AnswerMessage): void {
    const { calls } = this.#peer;
    if (answer.ok) calls.resolve(answer.id, answer);
    else {
      const code = CODES.find((known) => known === answer.code) ?? 'refused';
      calls.reject(answer.id, failure(code, answer.message ?? 'the browser refused'));
    }
  }
}

/** The browser did not do what it was asked. */
function failure(code: PageFailure, message: string): PeerError {
  return new PeerError(code, message);
}
