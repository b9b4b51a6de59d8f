/** A device, as programs of its host use it. Uses nothing of Node. */
import { type Body, type Client, createClient, type RequestOptions, type Transport } from './client.ts';
import type { EventOf, ResponseOf, TopicName } from './contract.ts';
import { EventHub, type StreamOptions } from './hub.ts';
import { WaitError, type WaitOptions, waitUntil } from './waits.ts';

const LOAD_MS = 60_000;
const CHANNEL_MS = 60_000;
const OPERATION_MS = 10 * 60_000;
/** To send a file, also on serial. The device itself ends an upload that stands still. */
const SEND_MS = 6 * 60 * 60_000;
/** To verify and write a system on a slow card. */
const INSTALL_MS = 30 * 60_000;
/** A slot that is not confirmed within five minutes is given up, after up to three starts; then the other one starts. */
const RESTART_MS = 30 * 60_000;
/** Of a request while the device may be restarting: one that is lost is repeated. */
const PROBE_MS = 10_000;

type DisplayState = ResponseOf<'GET', '/display'>;
type Operation = ResponseOf<'GET', '/operations/{id}'>;
type UpdateStatus = ResponseOf<'GET', '/update'>;

/** What the screen shows: a page, a stored bundle, or the waiting page. */
export type ShowTarget = { url: string } | { bundle: string } | 'waiting';

/** A step of {@link Device.updateAndWait}. */
export type UpdateStep = 'send' | 'install' | 'restart';

export interface UpdateOptions {
  /** Called when a step begins, and with how far it is, from 0 to 1; the restart has no measure. */
  onStep?: (step: UpdateStep, done: number) => void;
  signal?: AbortSignal;
}

type Progress = Pick<RequestOptions, 'onProgress' | 'signal'>;

/**
 * The calls of the API, typed by its paths (`device.get('/display')`), events, and waiting for what takes time.
 * A call throws a RequestError for an answer that is not 2xx.
 */
export class Device implements Omit<Client, 'events'> {
  /** Any request; gives an answer of any status. */
  readonly request: Client['request'];
  readonly get: Client['get'];
  readonly post: Client['post'];
  readonly patch: Client['patch'];
  readonly delete: Client['delete'];
  /** Sends a file. */
  readonly upload: Client['upload'];
  /** The bytes of a file. */
  readonly download: Client['download'];
  readonly #transport: Transport;
  readonly #hub: EventHub;

  /** @param timeoutMs time limit of requests that name none */
  constructor(transport: Transport, { timeoutMs }: { timeoutMs?: number } = {}) {
    const client = createClient({ transport, ...(timeoutMs && { timeoutMs }) });
    this.request = client.request;
    this.get = client.get;
    this.post = client.post;
    this.patch = client.patch;
    this.delete = client.delete;
    this.upload = client.upload;
    this.download = client.download;
    this.#transport = transport;
    this.#hub = new EventHub(transport);
  }

  /**
   * The events of topics: `for await (const { topic, payload } of device.events(['display_state']))`. A lost connection is
   * opened again and subscribed again; events in between are missed (see `snapshot` and `onConnected`). Leaving the loop
   * ends it.
   */
  events<N extends TopicName>(
    topics: readonly N[],
    options?: StreamOptions,
  ): AsyncGenerator<EventOf<N>, void, undefined> {
    return this.#hub.stream(topics, options);
  }

  /** Shows something, and waits until it is on the screen. @throws WaitError with the reason why it is not */
  async show(target: ShowTarget, options?: WaitOptions): Promise<DisplayState> {
    if (target === 'waiting') await this.post('/display/waiting');
    else if ('url' in target) await this.post('/display/navigate', { json: target });
    else await this.post('/display/bundle', { json: { name: target.bundle } });
    return await this.waitLoaded(options);
  }

  /** Waits until the target is on the screen. @throws WaitError with the code of the failure, which the device repeats by itself */
  async waitLoaded({ timeoutMs = LOAD_MS, signal }: WaitOptions = {}): Promise<DisplayState> {
    return await waitUntil(this.#hub, {
      topics: ['display_state'],
      what: 'the target to be on the screen',
      ...{ timeoutMs, signal },
      check: async () => {
        const display = await this.get('/display');
        const { loading, error } = display;
        if (loading)
          return { instead: `it is loading ${display.target_url ?? display.bundle ?? ''}`.trimEnd() };
        if (error) throw new WaitError(`it is not on the screen: ${error.message}`, { code: error.code });
        return { done: display };
      },
    });
  }

  /** Waits until the displayed page listens to messages (`vitrine.onMessage`). @throws WaitError */
  async waitChannelOpen({ timeoutMs = CHANNEL_MS, signal }: WaitOptions = {}): Promise<void> {
    return await waitUntil(this.#hub, {
      topics: ['page_channel'],
      what: 'the page to open its channel',
      ...{ timeoutMs, signal },
      check: async () => {
        const { open } = await this.get('/page/status');
        return open ? { done: undefined } : { instead: 'the displayed page has not opened it' };
      },
    });
  }

  /**
   * Waits until an operation has ended.
   * @param id `operation_id` of the answer that has begun it
   * @param onProgress called with its progress from 0 to 1
   * @throws WaitError with the device's reason if it has failed
   */
  async waitOperation(
    id: string,
    {
      timeoutMs = OPERATION_MS,
      signal,
      onProgress,
    }: WaitOptions & { onProgress?: (done: number) => void } = {},
  ): Promise<Operation> {
    return await waitUntil(this.#hub, {
      topics: ['operation'],
      what: `the operation ${id}`,
      ...{ timeoutMs, signal },
      check: async () => {
        const operation = await this.get('/operations/{id}', { params: { id } });
        const { state, progress, error } = operation;
        onProgress?.(progress);
        if (state === 'running') return { instead: `it is at ${Math.floor(progress * 100)} %` };
        if (state === 'done') return { done: operation };
        const { code, message } = error?.error ?? { code: undefined, message: 'it has failed' };
        throw new WaitError(message, code === undefined ? {} : { code });
      },
    });
  }

  /**
   * Stores a zip archive as a bundle, and waits until it is checked.
   * @throws RequestError, WaitError with the device's reason
   */
  async storeBundle(name: string, archive: Body, { onProgress, signal }: Progress = {}): Promise<void> {
    const { operation_id } = await this.upload('/content/{name}', archive, {
      params: { name },
      timeoutMs: SEND_MS,
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    await this.waitOperation(operation_id, signal ? { signal } : {});
  }

  /**
   * Sends an update and waits until it is installed. It starts with {@link applyUpdate}.
   * @param bundle the file of the update
   * @throws RequestError; WaitError with the reason if it is refused
   */
  async installUpdate(bundle: Body, { onStep, signal }: UpdateOptions = {}): Promise<void> {
    const limits = signal ? { signal } : {};
    onStep?.('send', 0);
    const { operation_id } = await this.upload('/update/bundle', bundle, {
      ...limits,
      timeoutMs: SEND_MS,
      onProgress: (sent, total) => onStep?.('send', sent / total),
    });
    onStep?.('install', 0);
    await this.waitOperation(operation_id, {
      ...{ ...limits, timeoutMs: INSTALL_MS },
      onProgress: (done) => onStep?.('install', done),
    });
  }

  /**
   * Installs an update, restarts into it and waits until it is confirmed.
   * @param bundle the file of the update
   * @throws RequestError; WaitError with the reason if it is refused or rolled back
   */
  async updateAndWait(bundle: Body, options: UpdateOptions = {}): Promise<UpdateStatus> {
    await this.installUpdate(bundle, options);
    return await this.applyUpdate(options);
  }

  /**
   * Restarts into the update that is installed, and waits until it is confirmed.
   * @throws RequestError if none is installed; WaitError with the reason if it is rolled back
   */
  async applyUpdate({ onStep, signal }: UpdateOptions = {}): Promise<UpdateStatus> {
    const before = (await this.get('/update')).last_result?.ts;
    await this.post('/update/apply');
    onStep?.('restart', 0);
    return await this.#waitForResult(before, signal ? { signal } : {});
  }

  /** Ends all streams and the connection. */
  async close(): Promise<void> {
    this.#hub.close();
    await this.#transport.close();
  }

  async #waitForResult(before: string | undefined, limits: { signal?: AbortSignal }): Promise<UpdateStatus> {
    return await waitUntil(this.#hub, {
      topics: ['update_changed'],
      what: 'the result of the update',
      ...{ ...limits, timeoutMs: RESTART_MS, isRestarting: true },
      check: async () => {
        const status = await this.get('/update', { timeoutMs: PROBE_MS });
        const { last_result: result } = status;
        if (!result || result.ts === before) return { instead: 'the device has no result yet' };
        if (result.outcome === 'success') return { done: status };
        const { code, message } = result.reason ?? {
          code: undefined,
          message: 'the device does not say why',
        };
        throw new WaitError(`the update was not kept: ${message}`, code === undefined ? {} : { code });
      },
    });
  }
}
