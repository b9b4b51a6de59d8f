/** Parts of a device that this computer lacks: a test answers some requests of a page, and sends it events. */
import type { Page, WebSocketRoute } from 'playwright-core';
import type { Payloads, TopicName } from '../../client/contract.ts';

export interface StandInAnswer {
  readonly status: number;
  /** Undefined for none. */
  readonly body?: unknown;
}

/** Answers a request. @param path behind `/api/v1` */
export type Answering = (method: string, path: string, body: unknown) => Promise<StandInAnswer>;

/** Everything that it does not stand in for goes to the agent. */
export class StandIn {
  /** What the page was sent and has sent goes through it; the last one of the page. */
  #socket: WebSocketRoute | undefined;
  readonly #topics = new Set<string>();
  /** Topics whose events do not come from the agent for now, but only from {@link emit}. */
  readonly taken = new Set<TopicName>();

  /**
   * Takes requests of a page over, from its next navigation on.
   * @param paths of the requests, behind `/api/v1`
   */
  static async at(page: Page, paths: RegExp, answer: Answering): Promise<StandIn> {
    const standIn = new StandIn();
    const isTaken = (url: URL) => url.pathname.startsWith('/api/v1/') && paths.test(pathOf(url));
    await page.route(isTaken, async (route) => {
      const request = route.request();
      const text = request.postData();
      const body: unknown = text === null ? undefined : JSON.parse(text);
      const answered = await answer(request.method(), pathOf(new URL(request.url())), body);
      await route.fulfill({ status: answered.status, json: answered.body });
    });
    await page.routeWebSocket(/\/api\/v1\/events$/, (socket) => standIn.#connect(socket));
    return standIn;
  }

  /** What the page has subscribed to. */
  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  /** Sends an event, if the page has subscribed to its topic. */
  emit<N extends TopicName>(topic: N, payload: Payloads[N]): void {
    if (!this.#topics.has(topic)) return;
    this.#socket?.send(JSON.stringify({ type: 'event', topic, ts: new Date().toISOString(), payload }));
  }

  #connect(socket: WebSocketRoute): void {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const { topic }: { topic?: unknown } = JSON.parse(String(message));
      if (![...this.taken].some((each) => each === topic)) socket.send(message);
    });
    this.#socket = socket;
    this.#topics.clear();
    socket.onMessage((message) => {
      const { type, topics }: { type?: unknown; topics?: unknown } = JSON.parse(String(message));
      for (const topic of Array.isArray(topics) ? topics : []) {
        if (type === 'subscribe') this.#topics.add(String(topic));
        else if (type === 'unsubscribe') this.#topics.delete(String(topic));
      }
      server.send(message);
    });
  }
}

function pathOf({ pathname, search }: URL): string {
  return pathname.slice('/api/v1'.length) + search;
}
