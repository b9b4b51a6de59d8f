import type { Socket } from 'node:net';
import type { Static } from 'typebox';
import { KindEvents } from '../../base/kind-events.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { isTooDeep } from '../../contract/json.ts';
import { fits } from '../../contract/validate.ts';
import type {
  Browser,
  BrowserEvent,
  BrowserSettings,
  KeyboardSettings,
  Load,
} from '../../resources/display/ports.ts';
import { messageSize, type PageEvent, type ScriptResult } from '../../resources/page/ports.ts';
import { BrowserCalls, BrowserError } from './calls.ts';
import { BrowserListener, type HelloMessage } from './listener.ts';
import { type Answer, type Channel, Configured, type Message, Picture } from './messages.ts';
import { PageResources, type ResourceSource } from './page-resources.ts';
import { scriptResult } from './results.ts';
import { type PeerHandlers, ProtocolRules } from './rules.ts';

/** Longest command, in bytes (browser/PROTOCOL.md). */
const MAX_COMMAND_BYTES = 8 * 1024 * 1024;
/** Commands that the browser has not read; more means that it hangs. */
const MAX_UNREAD_BYTES = 4 * MAX_COMMAND_BYTES;
/** Longest message to a page, in bytes of JSON (browser/PROTOCOL.md). */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Time for an answer, in ms: creating the first view takes seconds on a busy board. */
const CALL_MS = 30_000;
/** Time in which the browser tells that a script did not end in time, in ms. */
const SPARE_MS = 1000;

/** A browser that has said hello. */
interface Peer extends HelloMessage {
  socket: Socket;
  rules: ProtocolRules;
}

/**
 * The agent's end of the browser's socket (browser/PROTOCOL.md). One browser at a time: a newer connection replaces an
 * older one, whose browser is ending.
 */
export class BrowserSocket implements Browser {
  readonly #log: Records;
  readonly #events = new KindEvents<BrowserEvent | PageEvent>();
  readonly on = this.#events.on;
  readonly #listener: BrowserListener;
  readonly #calls = new BrowserCalls();
  readonly #resources: PageResources;
  #peer: Peer | undefined;
  #openChannel: Static<typeof Channel> | undefined;

  /**
   * @param path of the unix socket, for example /run/vitrine/browser.sock
   * @param resource finds what pages fetch from `vitrine:`
   */
  constructor(path: string, log: Logger, resource: ResourceSource = async () => undefined) {
    this.#log = limitedLog(log);
    this.#listener = new BrowserListener(path, this.#log, {
      hello: (socket, hello) => {
        const rules = new ProtocolRules(this.#calls, this.#handlers);
        this.#connected({ ...hello, socket, rules });
        return (line) => rules.take(line);
      },
      close: (socket) => {
        if (socket === this.#peer?.socket) this.#disconnected();
      },
    });
    this.#resources = new PageResources({
      source: resource,
      answer: (fields) => this.#answerResource(fields),
      log: this.#log,
    });
  }

  /**
   * Creates the socket, and replaces one that a killed agent left.
   * @throws Error when another agent is running there
   */
  start(): Promise<void> {
    return this.#listener.start();
  }

  /** Closes the socket; the page stays on the screen. */
  stop(): Promise<void> {
    return this.#listener.stop();
  }

  get connected(): boolean {
    return this.#peer !== undefined;
  }

  get pid(): number | null {
    return this.#peer?.pid ?? null;
  }

  get uri(): string | null {
    return this.#peer?.uri ?? null;
  }

  async configure(settings: BrowserSettings): Promise<boolean> {
    const answer = await this.#call('configure', settings);
    return fits(Configured, answer) && answer.restart_required;
  }

  async keyboard(settings: KeyboardSettings): Promise<void> {
    await this.#call('keyboard', settings);
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

  async ping(timeoutMs: number): Promise<boolean> {
    try {
      await this.#call('ping', {}, timeoutMs);
      return true;
    } catch (error) {
      // A refusal means that there is no page; its end is an event of its own.
      return error instanceof BrowserError && error.code === 'refused';
    }
  }

  async showsFrames(timeoutMs: number): Promise<boolean> {
    try {
      await this.#call('frame', {}, timeoutMs);
      return true;
    } catch (error) {
      // The ends of the page and of the connection are events of their own.
      return !(error instanceof BrowserError && error.code === 'timeout');
    }
  }

  async terminatePage(): Promise<void> {
    await this.#call('terminate_page', {});
  }

  async screenshot(): Promise<Buffer> {
    const answer = await this.#call('screenshot', {});
    if (!fits(Picture, answer)) throw new BrowserError('broken', 'the answer of the browser is incomplete');
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
   * Sends a message to the page; resolves when its listeners have run. Messages arrive in order; 16 may wait, further
   * ones are `busy`.
   * @param data JSON of 1 MiB at most
   */
  async send(channel: number, data: string): Promise<void> {
    if (Buffer.byteLength(data) > MAX_MESSAGE_BYTES) {
      throw new BrowserError('too_large', 'the message has more than 1 MiB of JSON');
    }
    await this.#call('message', { channel, data });
  }

  /**
   * Lets the page send messages of this size more, 64 at a time at most. A channel has no credits when it opens and
   * loses them with the connection to the agent; without credits the page's messages wait in the page.
   */
  credit(channel: number, size: number): void {
    this.#peer?.rules.credited(channel, size);
    // Without a browser there is no channel either.
    this.#call('credit', { channel, size }).catch(() => undefined);
  }

  async #answerResource(fields: object): Promise<void> {
    const rules = this.#peer?.rules;
    try {
      await this.#call('resource', fields);
    } finally {
      rules?.answered();
    }
  }

  #load(command: string, fields: object): Load {
    const id = this.#calls.nextId();
    const accepted = this.#call(command, fields, CALL_MS, id).then(() => undefined);
    return { id, accepted };
  }

  async #call(
    command: string,
    fields: object,
    timeoutMs = CALL_MS,
    id = this.#calls.nextId(),
  ): Promise<Static<typeof Answer>> {
    const socket = this.#peer?.socket;
    if (!socket) throw new BrowserError('disconnected', 'the browser is not connected');
    const line = Buffer.from(`${JSON.stringify({ id, command, ...fields }, wellFormed)}\n`);
    if (line.length > MAX_COMMAND_BYTES) throw new BrowserError('too_large', `${command} is too large`);
    if (socket.writableLength > MAX_UNREAD_BYTES || this.#calls.isFull) {
      throw new BrowserError('busy', 'the browser does not read or answer its commands');
    }
    socket.write(line);
    return await this.#calls.answer(id, command, timeoutMs);
  }

  #connected(peer: Peer): void {
    const before = this.#peer;
    if (before) {
      this.#disconnected();
      before.socket.destroy();
    }
    this.#peer = peer;
    this.#log.info({ pid: peer.pid, webkit: peer.webkit }, 'the browser is connected');
    this.#events.emit({ event: 'connected', uri: peer.uri });
  }

  #disconnected(): void {
    this.#peer = undefined;
    this.#calls.disconnect();
    this.#resources.forget();
    this.#closeChannel();
    this.#events.emit({ event: 'disconnected' });
  }

  readonly #handlers: PeerHandlers = {
    answer: (answer) => this.#calls.settle(answer),
    event: (event) => this.#events.emit(event),
    channel: (channel) => this.#takeChannel(channel),
    message: (message) => this.#takeMessage(message),
    resource: (request) => this.#resources.take(request),
    ignored: (fields, reason) => this.#log.debug(fields, reason),
  };

  #takeChannel(channel: Static<typeof Channel>): void {
    this.#closeChannel();
    if (!channel.open) return;
    this.#openChannel = channel;
    this.#events.emit(channel);
  }

  #closeChannel(): void {
    if (!this.#openChannel) return;
    const closed = { ...this.#openChannel, open: false };
    this.#openChannel = undefined;
    this.#events.emit(closed);
  }

  #takeMessage({ data, ...event }: Static<typeof Message>): void {
    if (isMessage(data)) {
      // In JSON, line ends are only between values. Hosts on serial get one line.
      this.#events.emit({ ...event, data: data.replaceAll(/[\r\n]/g, ' ') });
    } else {
      this.#log.debug({ origin: event.origin }, 'a message of the page is not JSON, or nested too deeply');
      this.credit(event.channel, messageSize(data));
    }
  }
}

/** Whether a page's message is JSON that can be passed on. */
function isMessage(text: string): boolean {
  if (isTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The browser's strings end at a NUL, and it does not read a line with half a character; stored text may have both. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}
