/** A browser for the agent under test, with the protocol of the real one (browser/PROTOCOL.md). */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { LineSplitter } from '../../agent/src/base/line-splitter.ts';
import { type Command, HELLO, send, sendInParts } from '../../testing/browser-stage.ts';

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Longest text in one message. */
const PART = 60 * 1024;

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

  #take({ id, command, uri }: Command): void {
    if (command === 'screenshot') {
      this.#sendPicture(id);
      return;
    }
    send(this.#socket, { id, ok: true, ...(command === 'configure' && { restart_required: false }) });
    if (command !== 'load' && command !== 'load_html' && command !== 'reload') return;
    const address = typeof uri === 'string' ? uri : 'http://reloaded.example/';
    this.#load('started', id, address);
    const finish = () => this.#finish(id, address);
    if (this.holds) this.#held.push(finish);
    else finish();
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
