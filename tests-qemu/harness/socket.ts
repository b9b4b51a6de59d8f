import { once } from 'node:events';
import { WebSocket } from 'ws';
import { asEvent, EventLog, field } from '../../ci/client/events.ts';
import { waitFor, within } from '../../testing/wait.ts';

const OPEN_TIMEOUT_MS = 60_000;

/** A WebSocket client of `{base_url}/events` that stores the received messages. */
export class EventSocket {
  readonly events = new EventLog();
  /** Messages other than events: acknowledgements and errors. */
  readonly others: unknown[] = [];
  /** The close code, once the device or the network has closed it. */
  closed: number | undefined;
  readonly #socket: WebSocket;

  /**
   * Connects.
   * @throws Error with the status when the device refuses the upgrade
   */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventSocket> {
    const socket = new WebSocket(url, { headers, handshakeTimeout: OPEN_TIMEOUT_MS });
    const client = new EventSocket(socket);
    await once(socket, 'open');
    return client;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const message: unknown = JSON.parse(String(data));
      const event = asEvent(message);
      if (event) this.events.push(event);
      else this.others.push(message);
    });
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      this.closed = code;
    });
  }

  /** Subscribes and waits for the acknowledgement. */
  async subscribe(...topics: string[]): Promise<void> {
    const before = this.others.length;
    this.send({ type: 'subscribe', topics });
    await waitFor(
      () => this.others.slice(before).some((message) => field(message, 'type') === 'subscribed'),
      {
        timeoutMs: OPEN_TIMEOUT_MS,
        what: `the acknowledgement of subscribe ${topics.join(', ')}`,
        intervalMs: 20,
      },
    );
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Stops or continues reading, so that the device's events pile up. */
  setReading(isReading: boolean): void {
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  async waitClosed(timeoutMs: number): Promise<void> {
    await waitFor(() => this.closed !== undefined, { timeoutMs, what: 'the socket to be closed' });
  }

  async close(): Promise<void> {
    if (this.closed !== undefined) return;
    const gone = once(this.#socket, 'close');
    this.#socket.close();
    await within(gone, 2000, 'the close').catch(() => this.#socket.terminate());
  }
}
