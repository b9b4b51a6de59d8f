/** A server that answers devices as hawkBit 1.1 does: the same paths, messages and states of an action. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Issued } from './make-certificates.ts';

const DEVICE = '/DEFAULT/controller/v1/device-1';
const EXECUTIONS = 'closed proceeding canceled scheduled rejected resumed downloaded download'.split(' ');

export interface Action {
  id: string;
  state: 'running' | 'canceling' | 'canceled' | 'finished' | 'error';
  download: 'skip' | 'attempt' | 'forced';
  update: 'skip' | 'attempt' | 'forced';
  maintenanceWindow?: 'available' | 'unavailable';
  /** What the device has reported, as `execution finished: details`. */
  reports: string[];
}

export interface Received {
  path: string;
  authorization: string | undefined;
}

type Answer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  /** Answers with bytes of its own, or not at all. */
  | { raw: (socket: Socket) => void };

export class HawkbitServer {
  url = '';
  token = 'TargetToken its-token';
  bundle: Buffer = Buffer.alloc(0);
  readonly actions: Action[] = [];
  readonly received: Received[] = [];
  attributes: Record<string, unknown> | undefined;
  /** By the path below the device's: other answers than hawkBit's. Undefined: hawkBit's. */
  override: (path: string) => Answer | undefined = () => undefined;
  /** Links of an artifact, from hawkBit's URL. */
  links: (url: string) => object = (url) => ({
    'download-http': { href: url },
    'md5sum-http': { href: `${url}.MD5SUM` },
  });

  /** @param identity of HTTPS; left out: HTTP */
  static async start(t: TestContext, identity?: Issued): Promise<HawkbitServer> {
    const server = new HawkbitServer();
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void server.#handle(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    const listener = identity ? createHttpsServer(identity, handle) : createHttpServer(handle);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    // A server on TCP that listens has an address of this type.
    const { port } = listener.address() as AddressInfo;
    server.url = `${identity ? 'https' : 'http'}://127.0.0.1:${port}`;
    t.after(() => {
      listener.close();
      listener.closeAllConnections();
    });
    return server;
  }

  offer(changes: Partial<Action> = {}): Action {
    const id = String(this.actions.length + 8);
    const action: Action = {
      id,
      state: 'running',
      download: 'forced',
      update: 'forced',
      reports: [],
      ...changes,
    };
    this.actions.push(action);
    return action;
  }

  get artifactUrl(): string {
    return `${this.url}${DEVICE}/softwaremodules/23/artifacts/vitrine-1.1.0.raucb`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const [whole = ''] = url.split('?', 1);
    this.received.push({ path: `${method} ${whole}`, authorization: headers.authorization });
    let text = '';
    for await (const part of request) text += part;
    const path = whole.slice(DEVICE.length);
    const other = this.override(path);
    if (other && 'raw' in other) return other.raw(request.socket);
    if (other) {
      const { status = 200, headers: more = {}, body = '' } = other;
      response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
      return;
    }
    if (headers.authorization !== this.token) return void response.writeHead(401).end();
    if (path.includes('/artifacts/')) return this.#sendBundle(headers.range, response);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { status = 200, body: answer } = this.#answer(method, path, body);
    const type = { 'content-type': 'application/hal+json;charset=UTF-8' };
    response.writeHead(status, type).end(answer === undefined ? '' : JSON.stringify(answer));
  }

  #sendBundle(range: string | undefined, response: ServerResponse): void {
    const { bundle } = this;
    const [, from, to] = (/^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []).map(Number);
    if (from === undefined || to === undefined) return void response.end(bundle);
    const part = bundle.subarray(from, to + 1);
    const known = `bytes ${from}-${from + part.length - 1}/${bundle.length}`;
    response.writeHead(206, { 'content-range': known, 'content-length': part.length }).end(part);
  }

  #answer(method: string, path: string, body: unknown): { status?: number; body?: unknown } {
    const base = `${this.url}${DEVICE}`;
    if (method === 'GET' && path === '') return { body: this.#poll(base) };
    if (method === 'PUT' && path === '/configData') {
      assert.ok(typeof body === 'object' && body && 'data' in body && 'mode' in body);
      assert.ok(['merge', 'replace', 'remove'].includes(String(body.mode)));
      this.attributes = { ...(body.data as object) };
      return {};
    }
    const [, resource, id, feedback] = path.split('/');
    const action = this.actions.find((each) => each.id === id);
    if (!action) return { status: 404 };
    const isCanceling = action.state === 'canceling' || action.state === 'canceled';
    if (method === 'GET' && resource === 'deploymentBase') {
      return isCanceling ? { status: 404 } : { body: this.#deployment(action) };
    }
    if (method === 'GET' && resource === 'cancelAction') {
      return isCanceling ? { body: { id, cancelAction: { stopId: id } } } : { status: 404 };
    }
    assert.ok(method === 'POST' && feedback === 'feedback');
    const { execution, finished, details } = statusIn(body);
    action.reports.push(`${execution} ${finished}: ${details.join(' ')}`);
    if (resource === 'cancelAction') {
      assert.notEqual(execution, 'canceled', 'hawkBit takes this as a warning');
      if (execution === 'rejected') action.state = 'running';
      if (execution === 'closed') action.state = finished === 'failure' ? 'error' : 'canceled';
      return {};
    }
    if (action.state !== 'running' && action.state !== 'canceling') return { status: 410 };
    if (execution === 'closed') action.state = finished === 'failure' ? 'error' : 'finished';
    return {};
  }

  #poll(base: string): object {
    const action = this.actions.find(({ state }) => state === 'running' || state === 'canceling');
    const resource = action?.state === 'canceling' ? 'cancelAction' : 'deploymentBase';
    return {
      config: { polling: { sleep: '00:00:01' } },
      _links: {
        ...(action ? { [resource]: { href: `${base}/${resource}/${action.id}?c=-2127183556` } } : {}),
        ...(this.attributes ? {} : { configData: { href: `${base}/configData` } }),
      },
    };
  }

  #deployment({ id, download, update, maintenanceWindow }: Action): object {
    const hashes = { sha1: '1'.repeat(40), md5: '2'.repeat(32), sha256: '3'.repeat(64) };
    const file = { filename: 'vitrine-1.1.0.raucb', hashes, size: this.bundle.length };
    const artifacts = [{ ...file, _links: this.links(this.artifactUrl) }];
    const chunks = [{ part: 'os', version: '1.1.0', name: 'Vitrine', artifacts }];
    return { id, deployment: { download, update, ...(maintenanceWindow && { maintenanceWindow }), chunks } };
  }
}

function statusIn(body: unknown): { execution: string; finished: string; details: string[] } {
  const fields = (value: unknown): Record<string, unknown> => {
    assert.ok(typeof value === 'object' && value !== null);
    return { ...value };
  };
  const { timestamp, status } = fields(body);
  assert.ok(Number.isSafeInteger(timestamp));
  const { execution, result, details } = fields(status);
  const { finished } = fields(result);
  assert.ok(
    EXECUTIONS.includes(String(execution)) && ['success', 'failure', 'none'].includes(String(finished)),
  );
  assert.ok(Array.isArray(details));
  return { execution: String(execution), finished: String(finished), details: details.map(String) };
}
