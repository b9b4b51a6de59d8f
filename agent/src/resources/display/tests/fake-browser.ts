import { KindEvents } from '../../../base/kind-events.ts';
import type { Browser, BrowserEvent, BrowserSettings, Compositor, Load, Output } from '../ports.ts';
import type { Rotation } from '../schema.ts';

/** A browser and its compositor for tests of the display: it loads when told so, and can be slow, deaf, dead or gone. */
export class FakeBrowser implements Browser, Compositor {
  connected = false;
  uri: string | null = null;
  readonly calls: string[] = [];
  /** What the next loads do; `commit`: the document comes, the rest of the page does not; `silent`: not even begin. */
  behaviour: 'finish' | 'fail' | 'hold' | 'commit' | 'silent' = 'finish';
  /** Of HTTP, of the next loads. */
  status = 200;
  /** The next loads bring what a server answers that asks for a password. */
  denies = false;
  /** Names of the compositor's outputs. */
  compositorOutputs = ['Virtual-1'];
  /** How they are turned, null for off; an output that comes anew is on and not turned. */
  readonly turned = new Map<string, Rotation | null>();
  /** What the compositor says instead of turning an output; `silent`: it takes the command and does nothing. */
  refusal: string | undefined;
  answersPings = true;
  takesCommands = true;
  settings: BrowserSettings | undefined;
  html = '';
  readonly #events = new KindEvents<BrowserEvent>();
  readonly on = this.#events.on;
  #lastId = 0;
  #pid = 41;

  get pid(): number | null {
    return this.connected ? this.#pid : null;
  }

  /** @param uri what it has on the screen: one that is connected anew; null is another process */
  plug(uri: string | null = null): void {
    if (uri === null) this.#pid += 1;
    this.connected = true;
    this.turned.clear();
    this.uri = uri;
    this.emit({ event: 'connected', uri });
  }

  unplug(): void {
    this.connected = false;
    this.emit({ event: 'disconnected' });
  }

  emit(event: BrowserEvent): void {
    this.#events.emit(event);
  }

  /** How often a call was made whose record starts so. */
  count(start: string): number {
    return this.calls.filter((call) => call.startsWith(start)).length;
  }

  async configure(settings: BrowserSettings): Promise<boolean> {
    await this.#note('configure');
    this.settings = settings;
    return false;
  }

  load(uri: string): Load {
    return this.#load(`load ${uri}`, uri);
  }

  loadHtml(html: string, uri: string): Load {
    this.html = html;
    return this.#load('html', uri, 'finish');
  }

  reload(): Load {
    return this.#load('reload', 'http://reloaded/');
  }

  async ping(): Promise<boolean> {
    this.calls.push('ping');
    return this.answersPings;
  }

  async terminatePage(): Promise<void> {
    await this.#note('terminate');
    this.emit({ event: 'page_gone', reason: 'terminated' });
  }

  async screenshot(): Promise<Buffer> {
    await this.#note('screenshot');
    return Buffer.from('png');
  }

  async outputs(): Promise<Output[]> {
    await this.#note('outputs');
    return this.compositorOutputs.map((name) => ({
      name,
      mode: '1280x720@75',
      rotation: this.turned.has(name) ? (this.turned.get(name) ?? null) : 0,
      modes: ['1280x720@75', '800x600@60'],
    }));
  }

  async drive(output: string, degrees: Rotation, others: readonly string[]): Promise<void> {
    await this.#note(['drive', output, degrees, ...others.map((name) => `-${name}`)].join(' '));
    if (this.refusal === 'silent') return;
    if (this.refusal !== undefined) throw new Error(this.refusal);
    this.turned.set(output, degrees);
    for (const other of others) this.turned.set(other, null);
  }

  async quit(): Promise<void> {
    await this.#note('quit');
  }

  async #note(call: string): Promise<void> {
    this.calls.push(call);
    if (!this.connected) throw new Error('not connected');
    if (!this.takesCommands) throw new Error('timeout');
  }

  #load(call: string, uri: string, behaviour = this.behaviour): Load {
    this.#lastId += 1;
    const load = this.#lastId;
    const accepted = this.#note(call);
    void accepted.then(
      () => {
        if (behaviour === 'silent') return;
        this.emit({ event: 'load', state: 'started', load, uri });
        if (behaviour === 'finish' || behaviour === 'commit') {
          const told = { event: 'load', load, uri, status: this.status } as const;
          this.emit({ ...told, state: 'committed', authentication_required: this.denies });
          if (behaviour === 'commit') return;
          this.emit({ ...told, state: 'finished', authentication_required: this.denies });
          this.emit({ event: 'painted', load });
        } else if (behaviour === 'fail') {
          this.emit({ event: 'load_failed', load, uri, kind: 'network', message: 'Connection refused' });
        }
      },
      () => undefined,
    );
    return { id: load, accepted };
  }
}
