/** The agent's end of the socket, which keeps what the program says. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../../../testing/wait.ts';
import { JsonLinePeer } from '../../base/json-line-peer.ts';
import { limitedLog } from '../../base/limited-log.ts';
import { createLogger } from '../../base/logger.ts';
import { unwatched } from '../../base/watch.ts';
import type { Valid } from '../../validation/validator.ts';
import { Program, type ProgramOptions } from '../program.ts';
import { Answer, Hello, Readers, type Settings, Tag, TagGone } from '../protocol.ts';

const WAIT_MS = 20_000;

export const SETTINGS: Settings = {
  backend: 'auto',
  i2c: { bus: 1, address: 0x24 },
  spi: { bus: 0, cs: 0 },
  poll_ms: 50,
  feedback_on_detect: true,
};

export class ModelAgent {
  readonly #folder: string;
  readonly #peer: JsonLinePeer<Valid<typeof Hello>, object>;
  /** The last event `readers`. */
  readers: Valid<typeof Readers> | undefined;
  readonly tags: Valid<typeof Tag>[] = [];
  readonly gone: number[] = [];
  /** The numbers of all commands that were answered, in order. */
  readonly answered: number[] = [];
  /** Names of all events, in order. */
  readonly events: string[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    const many = { perSecond: 10_000, atOnce: 10_000 };
    this.#peer = new JsonLinePeer({
      path: join(folder, 'nfc.sock'),
      mode: 0o660,
      name: 'reader program',
      limits: {
        ...{ connections: 2, lineBytes: 200_000, greetingMs: 5000, commandBytes: 100_000, calls: 32 },
        ...{
          unreadBytes: 1_000_000,
          greetings: many,
          messages: many,
          bytes: { perSecond: 1e8, atOnce: 1e8 },
        },
      },
      log: limitedLog(createLogger('silent')),
      protocol: {
        greet: (first) => Hello.parse(first),
        connected: () => this.events.push('connected'),
        disconnected: () => this.events.push('disconnected'),
        take: (_, message) => this.#take(message),
      },
    });
  }

  static async start(): Promise<ModelAgent> {
    const agent = new ModelAgent(await mkdtemp(join(tmpdir(), 'nfc-')));
    await agent.listen();
    return agent;
  }

  get path(): string {
    return join(this.#folder, 'nfc.sock');
  }

  async listen(): Promise<void> {
    await this.#peer.start();
  }

  async close(): Promise<void> {
    await this.#peer.stop();
  }

  async stop(): Promise<void> {
    await this.close();
    await rm(this.#folder, { recursive: true });
  }

  /** @returns the answer, also of a command that failed */
  async call(command: string, fields: object): Promise<Record<string, unknown>> {
    return { ...(await this.#peer.call(command, fields, WAIT_MS)) };
  }

  async configure(settings: Partial<Settings> = {}): Promise<void> {
    await waitFor(() => this.#peer.current !== undefined, {
      timeoutMs: WAIT_MS,
      what: 'the program',
      intervalMs: 5,
    });
    const { ok } = await this.call('configure', { ...SETTINGS, ...settings });
    assert.equal(ok, true);
  }

  async until<T>(what: string, condition: () => T | undefined | false): Promise<T> {
    return await waitFor(condition, { timeoutMs: WAIT_MS, what, intervalMs: 5 });
  }

  /** Waits until these readers, and no others, are present. */
  async present(...ids: string[]): Promise<void> {
    await this.until(`${ids}`, () => {
      const present = this.readers?.readers.filter((reader) => reader.present).map(({ reader }) => reader);
      return JSON.stringify(present) === JSON.stringify(ids);
    });
  }

  /** The stay of the `count`-th tag so far. */
  async tag(count: number): Promise<Valid<typeof Tag>> {
    return await this.until(`tag ${count}`, () => this.tags[count - 1]);
  }

  #take(message: object): number {
    if ('id' in message) {
      assert.ok(Answer.fits(message), JSON.stringify(message));
      this.answered.push(message.id);
      this.#peer.calls.resolve(message.id, message);
    } else if (Readers.fits(message)) this.readers = message;
    else if (Tag.fits(message)) this.tags.push(message);
    else if (TagGone.fits(message)) this.gone.push(message.tag);
    else assert.fail(JSON.stringify(message));
    if ('event' in message) this.events.push(String(message.event));
    return 1;
  }
}

export function programAt(agent: ModelAgent, options: Partial<ProgramOptions>): Program {
  return new Program({
    socket: agent.path,
    watch: unwatched,
    log: limitedLog(createLogger('silent')),
    candidates: () => [],
    ...options,
  });
}
