/** A browser for the agent under test, with the protocol of the real one (browser/PROTOCOL.md). */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { LineSplitter } from '../agent/src/base/line-splitter.ts';
import { messageSize } from '../agent/src/resources/page/ports.ts';
import { type Command, HELLO, send, sendInParts } from './browser-stage.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Longest text in one message. */
const PART = 60 * 1024;
/** Of the page that sends messages. */
const ORIGIN = 'http://a.example';

/** Shows every page at once, except those that a test wants to be slow or to fail. */
export class FakePage {
  /** What it answers when the agent asks for a picture. */
  picture: Buffer;
  /** Part of the addresses that fail. */
  failing = 'fails';
  readonly #socket: Socket;
  /** Loads that wait until the test lets them end, if `holds`. */
  readonly #held: (() => void)[] = [];
  holds = false;
  /** What scripts of hosts see and can change. */
  readonly globals: Record<string, unknown> = { document: { title: 'Menu' } };
  /** Whether the agent wants the console. */
  isConsoleWanted = false;
  /** Messages that hosts have sent to the page. */
  readonly got: unknown[] = [];
  /** The last channel that the page has opened, and the size of what it may send (browser/PROTOCOL.md: Credits). */
  #channel = 0;
  #credits = 0;
  readonly #waiting: string[] = [];

  /** @param folder of the agent */
  constructor(folder: string, picture: Buffer) {
    this.picture = picture;
    this.#socket = connect(join(folder, 'run', 'browser.sock'));
    this.#socket.on('error', () => undefined);
    const lines = new LineSplitter(MAX_LINE_BYTES);
    this.#socket.on('data', (chunk) =>
      lines.forEach(chunk, (line) => this.#take(JSON.parse(line.toString()))),
    );
    send(this.#socket, HELLO);
  }

  /** Lets loads that were held end. */
  release(): void {
    this.holds = false;
    for (const finish of this.#held.splice(0)) finish();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The page opens its channel for messages, or closes it. */
  setChannel(open: boolean): void {
    if (open) this.#channel += 1;
    this.#credits = 0;
    send(this.#socket, { event: 'channel', kind: 'page', channel: this.#channel, open, origin: ORIGIN });
  }

  /** The page sends messages, as fast as the agent lets it. */
  say(...values: unknown[]): void {
    this.#waiting.push(...values.map((value) => JSON.stringify(value)));
    this.#sayWaiting();
  }

  /** The page writes to its console. */
  log(message: object): void {
    const whole = { level: 'log', text: '', source: null, line: null, left_out: 0, ...message };
    send(this.#socket, { event: 'console', ...whole });
  }

  #take({ id, command, uri, ...fields }: Command): void {
    if (command === 'screenshot') {
      this.#sendPicture(id);
      return;
    }
    if (command === 'evaluate') {
      void this.#evaluate(id, String(fields.body));
      return;
    }
    if (command === 'console') this.isConsoleWanted = fields.enabled === true;
    if (command === 'message') this.got.push(JSON.parse(String(fields.data)));
    if (command === 'credit') {
      this.#credits += Number(fields.size);
      this.#sayWaiting();
    }
    send(this.#socket, { id, ok: true, ...(command === 'configure' && { restart_required: false }) });
    if (command !== 'load' && command !== 'load_html' && command !== 'reload') return;
    const address = typeof uri === 'string' ? uri : 'http://reloaded.example/';
    this.#load('started', id, address);
    const finish = () => this.#finish(id, address);
    if (this.holds) this.#held.push(finish);
    else finish();
  }

  #sayWaiting(): void {
    while (this.#credits > 0) {
      const data = this.#waiting.shift();
      if (data === undefined) return;
      this.#credits -= messageSize(data);
      send(this.#socket, { event: 'message', channel: this.#channel, origin: ORIGIN, data });
    }
  }

  /** Runs a script as the body of an async function. */
  async #evaluate(id: number, body: string): Promise<void> {
    try {
      const value: unknown = await runInContext(`(async () => {${body}\n})()`, createContext(this.globals));
      send(this.#socket, { id, ok: true, value: JSON.stringify(value) ?? 'null' });
    } catch (error) {
      const exception = JSON.stringify({ message: String(error), line: null, column: null });
      send(this.#socket, { id, ok: true, exception });
    }
  }

  #finish(id: number, uri: string): void {
    if (uri.includes(this.failing)) {
      const message = 'The host name is unknown.';
      send(this.#socket, { event: 'load_failed', load: id, uri, kind: 'network', message });
      return;
    }
    this.#load('committed', id, uri);
    send(this.#socket, { event: 'painted', load: id, uri });
    this.#load('finished', id, uri);
  }

  #load(state: string, load: number, uri: string): void {
    send(this.#socket, { event: 'load', state, load, uri, status: 200, authentication_required: false });
  }

  #sendPicture(id: number): void {
    const text = this.picture.toString('base64');
    const parts = text.match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
    if (parts.length <= 1) send(this.#socket, { id, ok: true, png: text });
    else sendInParts(this.#socket, { id, ok: true }, 'png', parts);
  }
}
