/**
 * Wi-Fi for pages of the app. The agent from source manages no radio, so the agent's own logic with a fake radio answers
 * in its place; the configuration stays that of the agent.
 */
import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { createLogger } from '../../agent/src/base/logger.ts';
import { ApiError } from '../../agent/src/contract/errors.ts';
import { EventBus } from '../../agent/src/events/bus.ts';
import { disabled } from '../../agent/src/resources/wifi/schema.ts';
import type { AccessPointSettings, Settings } from '../../agent/src/resources/wifi/setup.ts';
import { Wifi } from '../../agent/src/resources/wifi/wifi.ts';
import type { Client } from '../../client/client.ts';
import { FakeWifiRadio } from '../../testing/fake-wifi-radio.ts';
import { wifiSettingsIn } from '../src/views/wifi/wifi-settings.ts';

export class WifiStandIn {
  readonly radio = new FakeWifiRadio();
  /** Of the radio's interface. */
  addresses = ['192.168.9.49'];
  readonly #client: Client;
  readonly #sockets = new Set<WebSocketRoute>();
  readonly #wifi: Wifi;
  #settings: Settings;

  private constructor(client: Client, settings: Settings) {
    this.#client = client;
    this.#settings = settings;
    const bus = new EventBus();
    bus.listen('wifi_changed', (event) => {
      for (const socket of this.#sockets) socket.send(JSON.stringify(event));
    });
    this.#wifi = new Wifi({
      radio: this.radio,
      settings: () => this.#settings,
      addresses: () => this.addresses,
      bus,
      log: createLogger('silent'),
      onAccessPoint: () => undefined,
      recovered: () => undefined,
    });
    this.#wifi.start();
  }

  /** @param client of the agent that has the configuration */
  static async open(client: Client): Promise<WifiStandIn> {
    return new WifiStandIn(client, await readSettings(client));
  }

  /** Answers a page before it loads the app. */
  async serve(page: Page): Promise<void> {
    await page.routeWebSocket(/\/api\/v1\/events$/, (socket) => {
      socket.connectToServer();
      this.#sockets.add(socket);
    });
    page.on('close', () => this.#sockets.clear());
    await page.route(/\/api\/v1\/wifi(\/\w+)?$/, (route) => this.#answer(route));
    await page.route(/\/api\/v1\/config$/, (route) => this.#pass(route));
  }

  async stop(): Promise<void> {
    await this.#wifi.stop();
  }

  /** Passes a request about the configuration, and takes over what it has changed. */
  async #pass(route: Route): Promise<void> {
    const response = await route.fetch();
    if (route.request().method() === 'PATCH') {
      this.#settings = await readSettings(this.#client);
      await this.#wifi.apply();
    }
    await route.fulfill({ response });
  }

  async #answer(route: Route): Promise<void> {
    try {
      // The page may have heard of a change before the request that made it was answered.
      this.#settings = await readSettings(this.#client);
      await route.fulfill({ json: await this.#do(route) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await route.fulfill({ status: error.status, json: error.envelope });
    }
  }

  async #do(route: Route): Promise<unknown> {
    if (!this.#settings.enabled) throw new ApiError(disabled);
    const request = route.request();
    const body: { ssid?: string; active?: boolean; ap?: Partial<AccessPointSettings> } =
      request.postDataJSON() ?? {};
    switch (new URL(request.url()).pathname) {
      case '/api/v1/wifi':
        return this.#wifi.get();
      case '/api/v1/wifi/scan':
        return this.#wifi.scan();
      case '/api/v1/wifi/connect':
        return this.#wifi.connect(body.ssid ?? '');
      case '/api/v1/wifi/ap':
        return body.active ? this.#wifi.startAccessPoint(body.ap ?? {}) : this.#wifi.stopAccessPoint();
      default:
        throw new ApiError('not_found');
    }
  }
}

async function readSettings(client: Client): Promise<Settings> {
  const { ap, ...settings } = wifiSettingsIn(await client.get('/config'));
  return { ...settings, ap: { ...ap, channel: 0 }, deviceName: (await client.get('/device')).name };
}
