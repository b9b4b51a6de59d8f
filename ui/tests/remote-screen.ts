/** The device's side of remote input, for a page: the agent's own code, with a pointer and a keyboard that only take notes. */
import assert from 'node:assert/strict';
import type { Locator, Page, Route } from 'playwright-core';
import { ApiError } from '../../agent/src/contract/errors.ts';
import type { VirtualInput } from '../../agent/src/resources/input/ports.ts';
import { RemoteInput } from '../../agent/src/resources/input/remote-input.ts';
import { type InjectedEvent, injectInput } from '../../agent/src/resources/input/schema.ts';
import { validator } from '../../agent/src/validation/validator.ts';
import type { Client } from '../../client/client.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Stage } from './stage.ts';

/** A pixel of the picture, and a little more. */
const NEAR = 0.003;
/** Lines of a press and a release. */
export const LEFT = ['button 272 1', 'button 272 0'] as const;
const body = validator(injectInput.body);

/** Answers `POST /input/inject` of a page, which an agent from source has no compositor for. */
export class RemoteScreen implements VirtualInput {
  /** What the compositor got (native/virtual-input.c). */
  readonly lines: string[] = [];
  /** What the page has sent. */
  readonly events: InjectedEvent[] = [];
  /** Most requests at the same time. */
  mostAtOnce = 0;
  hasScreen = true;
  isRunning = false;
  readonly #client: Client;
  readonly #remote: RemoteInput;
  #atOnce = 0;
  #held: PromiseWithResolvers<void> | undefined;

  private constructor(client: Client) {
    this.#client = client;
    this.#remote = new RemoteInput({
      input: this,
      hasScreen: () => this.hasScreen,
      ping: async () => true,
      frame: async () => undefined,
      log: { warn: () => undefined },
    });
  }

  /** @param client of the agent, whose configuration counts */
  static async behind(page: Page, client: Client): Promise<RemoteScreen> {
    const screen = new RemoteScreen(client);
    await page.route('**/api/v1/input/inject', (route) => screen.#answer(route));
    return screen;
  }

  /** Requests take until `go`. */
  hold(): void {
    this.#held = Promise.withResolvers();
  }

  go(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Forgets what was sent and done. */
  forget(): void {
    this.lines.length = 0;
    this.events.length = 0;
  }

  /** Waits until the compositor has got these lines, in this order, with others between them. */
  async waitForLines(...wanted: string[]): Promise<void> {
    const isThere = () => {
      let at = 0;
      for (const line of this.lines) if (line === wanted[at]) at += 1;
      return at === wanted.length;
    };
    await waitFor(isThere, { timeoutMs: 30_000, what: wanted.join(', '), intervalMs: 20 }).catch(
      (error: unknown) => {
        throw new Error(`it got ${this.lines.join(', ')}`, { cause: error });
      },
    );
  }

  /** Places of the pointer, as fractions. */
  get places(): { x: number; y: number }[] {
    return this.lines.flatMap((line) => {
      const [, x, y] = /^move (\d+) (\d+)$/.exec(line) ?? [];
      return x === undefined ? [] : [{ x: Number(x) / 1e6, y: Number(y) / 1e6 }];
    });
  }

  /** All texts that were typed. */
  get text(): string {
    return this.events.map(({ text = '' }) => text).join('');
  }

  /** Keys, with + and - for those that were only pressed or released. */
  get keys(): string[] {
    const sign = (pressed?: boolean) => (pressed === undefined ? '' : pressed ? '+' : '-');
    return this.events.flatMap(({ key, pressed }) => (key === undefined ? [] : sign(pressed) + key));
  }

  async start(): Promise<void> {
    this.isRunning = true;
  }

  async send(lines: readonly string[]): Promise<void> {
    await this.#held?.promise;
    this.lines.push(...lines);
  }

  stop(): void {
    this.isRunning = false;
  }

  /** Ends its timers. */
  close(): void {
    this.go();
    this.#remote.stop();
  }

  async #answer(route: Route): Promise<void> {
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      const config = await this.#client.get('/config');
      await this.#remote.configure(field(config, 'input.remote') === true);
      const { events } = body.parse(route.request().postDataJSON());
      this.events.push(...events);
      await this.#remote.inject(events);
      this.#atOnce -= 1;
      await route.fulfill({ status: 204 });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#atOnce -= 1;
      await route.fulfill({ status: error.status, json: error.envelope });
    }
  }
}

/** Switches remote control on or off, as another host does. */
export async function allow(stage: Stage, remote: boolean): Promise<void> {
  await stage.client.patch('/config', { json: { input: { remote } } });
}

export function button(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}

/** Opens the view with remote control switched on. */
export async function openRemote(
  stage: Stage,
  options: { width?: number; height?: number; language?: string } = {},
) {
  await allow(stage, true);
  const page = await stage.open({ path: '/remote', ...options });
  const screen = await RemoteScreen.behind(page, stage.client);
  await page.locator('.remote-frame').scrollIntoViewIfNeeded();
  const close = async () => {
    screen.close();
    await page.close();
  };
  return { page, screen, close };
}

/** A place of the picture in the window. */
export async function placeIn(page: Page, x: number, y: number): Promise<[number, number]> {
  const box = await page.locator('.remote-frame').boundingBox();
  assert.ok(box);
  return [box.x + x * box.width, box.y + y * box.height];
}

/** Fails if a place is another one. */
export function assertNear(place: { x: number; y: number } | undefined, x: number, y: number): void {
  assert.ok(place && Math.abs(place.x - x) < NEAR && Math.abs(place.y - y) < NEAR, JSON.stringify(place));
}
