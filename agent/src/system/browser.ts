import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Static } from 'typebox';
import { KindEvents } from '../base/kind-events.ts';
import { LineSplitter } from '../base/line-splitter.ts';
import type { Logger } from '../base/logger.ts';
import { fits } from '../contract/validate.ts';
import type { Browser, BrowserEvent, BrowserSettings, Load } from '../resources/display/ports.ts';
import { Answer, Blocked, Configured, Event, Hello, Picture, Resource } from './browser-messages.ts';
import { PageResources, type ResourceSource } from './page-resources.ts';

/** Group that may connect: the user of the browser. */
const GROUP = 'kiosk';
/** A screenshot of a 4K screen full of noise, in base64. */
const MAX_LINE_BYTES = 48 * 1024 * 1024;
/** Making the first view takes seconds on a busy board. */
const CALL_MS = 30_000;
const SCREENSHOT_MS = 30_000;
/** A connection that does not introduce itself in this time is closed. */
const HELLO_MS = 30_000;
/** Another agent takes a connection in this time, in ms, or there is none. */
const ANSWER_MS = 1000;

interface Pending {
  resolve: (answer: Static<typeof Answer>) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** A browser that has said hello. */
interface Peer {
  socket: Socket;
  pid: number;
  uri: string | null;
}

/** The browser did not do what it was told. */
export class BrowserError extends Error {
  /** `timeout`, `disconnected`, `refused` */
  readonly code: 'timeout' | 'disconnected' | 'refused';

  constructor(code: BrowserError['code'], message: string) {
    super(message);
    this.name = 'BrowserError';
    this.code = code;
  }
}

/**
 * The agent's end of the browser's socket (browser/PROTOCOL.md). One browser at a time: a newer connection takes the
 * place of an older one, because the older one is then a browser that is going.
 */
export class BrowserSocket implements Browser {
  readonly #path: string;
  readonly #log: Logger;
  readonly #events = new KindEvents<BrowserEvent>();
  readonly on = this.#events.on;
  readonly #pending = new Map<number, Pending>();
  readonly #sockets = new Set<Socket>();
  readonly #resources: PageResources;
  #server: Server | undefined;
  #peer: Peer | undefined;
  #lastId = 0;

  /**
   * @param path of the unix socket, for example /run/vitrine/browser.sock
   * @param resource finds what pages fetch from `vitrine:`
   */
  constructor(path: string, log: Logger, resource: ResourceSource = async () => undefined) {
    this.#path = path;
    this.#log = log;
    this.#resources = new PageResources({
      source: resource,
      answer: (fields) => this.#call('resource', fields),
      log,
    });
  }

  /**
   * Makes the socket, in place of one that a killed agent left.
   * @throws Error when an agent that lives has it: its browser could not come back to it
   */
  async start(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    if (await answers(this.#path)) throw new Error(`another agent serves ${this.#path}`);
    await rm(this.#path, { force: true });
    const server = createServer((socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#path, resolve);
    });
    server.on('error', (error) => this.#log.error({ err: error }, "the browser's socket failed"));
    this.#server = server;
    const group = await groupId(GROUP);
    if (group !== undefined && process.getuid?.() === 0) await chown(this.#path, 0, group);
    await chmod(this.#path, 0o660);
  }

  /** Closes the socket; what is on the screen stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
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

  async configure({ userAgent, ignoreTlsErrors, memoryLimitMb }: BrowserSettings): Promise<boolean> {
    const answer = await this.#call('configure', {
      user_agent: userAgent,
      ignore_tls_errors: ignoreTlsErrors,
      memory_limit_mb: memoryLimitMb,
    });
    return fits(Configured, answer) && answer.restart_required;
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
      // A refusal tells that there is no page; its end is an event of its own.
      return error instanceof BrowserError && error.code === 'refused';
    }
  }

  async terminatePage(): Promise<void> {
    await this.#call('terminate_page', {});
  }

  async screenshot(): Promise<Buffer> {
    const answer = await this.#call('screenshot', {}, SCREENSHOT_MS);
    if (!fits(Picture, answer)) throw new BrowserError('refused', 'the answer has no picture');
    return Buffer.from(answer.png, 'base64');
  }

  async quit(): Promise<void> {
    await this.#call('quit', {});
  }

  #load(command: string, fields: object): Load {
    const accepted = this.#call(command, fields).then(() => undefined);
    return { id: this.#lastId, accepted };
  }

  #call(command: string, fields: object, timeoutMs = CALL_MS): Promise<Static<typeof Answer>> {
    const id = ++this.#lastId;
    const peer = this.#peer;
    if (!peer) return Promise.reject(new BrowserError('disconnected', 'the browser is not connected'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new BrowserError('timeout', `the browser did not answer ${command} in ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, { resolve, reject, timer });
      peer.socket.write(`${JSON.stringify({ id, command, ...fields }, wellFormed)}\n`);
    });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    const late = setTimeout(() => socket.destroy(), HELLO_MS);
    let peer: Peer | undefined;
    socket.on('error', () => undefined); // close follows
    socket.on('data', (chunk) => {
      lines.push(chunk);
      for (let line = lines.next(); line; line = lines.next()) {
        const message = json(line);
        if (peer) this.#take(peer, message);
        else if (fits(Hello, message)) {
          clearTimeout(late);
          peer = { socket, pid: message.pid, uri: message.uri };
          this.#greet(peer, message);
        } else socket.destroy();
        if (socket.destroyed) return;
      }
      if (lines.overlong > 0) {
        this.#log.warn({ limit: MAX_LINE_BYTES }, 'the browser sent too long a line');
        socket.destroy();
      }
    });
    socket.on('close', () => {
      clearTimeout(late);
      this.#sockets.delete(socket);
      if (peer && peer === this.#peer) this.#leave();
    });
  }

  #greet(peer: Peer, { pid, webkit, uri }: Static<typeof Hello>): void {
    const before = this.#peer;
    if (before) {
      this.#leave();
      before.socket.destroy();
    }
    this.#peer = peer;
    this.#log.info({ pid, webkit }, 'the browser is connected');
    this.#events.emit({ event: 'connected', uri });
  }

  #leave(): void {
    this.#peer = undefined;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new BrowserError('disconnected', 'the browser went away'));
    }
    this.#pending.clear();
    this.#resources.forget();
    this.#events.emit({ event: 'disconnected' });
  }

  #take(peer: Peer, message: unknown): void {
    if (peer !== this.#peer) return;
    if (fits(Answer, message)) {
      const pending = this.#pending.get(message.id);
      if (!pending) return; // too late
      this.#pending.delete(message.id);
      clearTimeout(pending.timer);
      if (message.ok) pending.resolve(message);
      else pending.reject(new BrowserError('refused', message.message ?? 'the browser refused'));
    } else if (fits(Event, message)) this.#events.emit(message);
    else if (fits(Resource, message)) this.#resources.take(message);
    else if (fits(Blocked, message)) {
      this.#log.debug({ what: message.what, detail: message.detail.slice(0, 200) }, 'the page was refused');
    }
  }
}

function json(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

/** The number of a group; undefined when this system does not have it. */
async function groupId(name: string): Promise<number | undefined> {
  const text = await readFile('/etc/group', 'utf8').catch(() => '');
  const fields = text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([group]) => group === name);
  const id = Number(fields?.[2]);
  return Number.isInteger(id) ? id : undefined;
}

/** Whether a process takes connections there. */
async function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.setTimeout(ANSWER_MS, () => resolve(false));
  const answered = await promise;
  socket.destroy();
  return answered;
}

/** The browser does not read a line with half a character in it, which stored text may have. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
