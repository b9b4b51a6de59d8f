/** A served bundle with an HTTP client, for tests. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { createLogger } from '../../../../base/logger.ts';
import { plainServer } from '../../../../links/http.ts';
import { readDirectory } from '../../zip/directory.ts';
import { fileSource } from '../../zip/source.ts';
import { buildZip } from '../../zip/tests/build-zip.ts';
import { BundleOrigin } from '../bundle-origin.ts';

/** More than the buffers of a loopback connection hold. */
export const LARGE = 24 * 1024 * 1024;

export interface TestEntry {
  name: string;
  content: Buffer | string;
  stored?: boolean;
}

export const INDEX: TestEntry = { name: 'index.html', content: '<!doctype html><title>Menu</title>' };

function zip(entries: TestEntry[]): Buffer {
  return buildZip(
    entries.map(({ name, content, stored }) => ({ name, data: content, method: stored ? 0 : 8 })),
  );
}

/** Not a power of two, so that parts from different positions differ. */
const NOISE_BLOCK = 1_000_003;

/** Incompressible bytes like media: a repeated block that is longer than the window of deflate. */
export function noise(bytes: number, seed = 1): Buffer {
  const block = Buffer.alloc(Math.min(bytes, NOISE_BLOCK));
  let state = seed * 2654435761;
  for (let i = 0; i < block.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    block[i] = state >>> 24;
  }
  return bytes > 0 ? Buffer.alloc(bytes, block) : block;
}

/** Compressible text. */
export function text(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'All work and no play makes Jack a dull boy.\n');
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A bundle origin over a real archive, and a client that can send unusual requests. */
export class Site {
  readonly origin: BundleOrigin;
  readonly #folder: string;
  readonly #agent = new Agent({ keepAlive: true });
  active: string | undefined = 'menu';
  file: { path: string; sha256: string; size: number } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.origin = new BundleOrigin({
      client: async () => Buffer.from('client'),
      createServer: plainServer,
      port: 0,
      active: () => this.active,
      locate: () => this.file,
      log: createLogger('silent'),
    });
  }

  static async open(t: TestContext, entries: TestEntry[]): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'vitrine-origin-')));
    t.after(async () => {
      site.#agent.destroy();
      await site.origin.stop();
      assert.equal(await site.openFiles(), 0);
      await rm(site.#folder, { recursive: true });
    });
    await site.store(entries);
    await site.origin.start();
    return site;
  }

  /** Replaces the bundle as the store does. */
  async store(entries: TestEntry[]): Promise<void> {
    const archive = zip(entries);
    const path = join(this.#folder, 'menu.zip');
    await writeFile(`${path}.new`, archive);
    await rename(`${path}.new`, path);
    this.file = { path, sha256: createHash('sha256').update(archive).digest('hex'), size: archive.length };
  }

  /** Changes a byte of an entry's data in the current file. */
  async damage(name: string, offset: number): Promise<void> {
    const { path, size } = this.file ?? assert.fail();
    const handle = await open(path, 'r+');
    const entry = (await readDirectory(fileSource(handle, size))).get(name) ?? assert.fail();
    const [byte = 0] = await fileSource(handle, size).read(entry.dataStart + offset, 1);
    await handle.write(Buffer.from([byte ^ 0x55]), 0, 1, entry.dataStart + offset);
    await handle.close();
  }

  /** Number of the folder's files that this process has open. */
  async openFiles(): Promise<number> {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return links.filter((link) => link.startsWith(this.#folder)).length;
  }

  get port(): number {
    return Number(new URL(this.origin.url('menu')).port);
  }

  /** @returns the answer as soon as its head has arrived, with an unread body */
  async start(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
    const asked = request({
      host: '127.0.0.1',
      port: this.port,
      path,
      method,
      agent: this.#agent,
      headers: { host: `menu.localhost:${this.port}`, ...headers },
    });
    asked.end();
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    return answer ?? assert.fail();
  }

  async get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
    const answer = await this.start(path, headers, method);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  }

  /** Sends raw bytes and returns everything until the server closes the connection. */
  async raw(bytes: string, host = '127.0.0.1'): Promise<string> {
    const socket = connect(this.port, host);
    socket.write(bytes.replaceAll('HOST', `menu.localhost:${this.port}`).replaceAll('\n', '\r\n'));
    return (await buffer(socket)).toString('latin1');
  }
}
