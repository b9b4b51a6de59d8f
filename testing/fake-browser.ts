import { KindEvents } from '../agent/src/base/kind-events.ts';
import type {
  Browser,
  BrowserEvent,
  BrowserSettings,
  Compositor,
  KeyboardSettings,
  Load,
  Output,
  OutputSettings,
} from '../agent/src/resources/display/ports.ts';
import type { Rotation } from '../agent/src/resources/display/schema.ts';
import type { ScriptResult } from '../agent/src/resources/page/ports.ts';

export const SETTINGS: BrowserSettings = {
  user_agent: null,
  languages: [],
  ignore_tls_errors: false,
  memory_limit_mb: 0,
  inspector_port: 0,
  proxy: null,
  permissions: [],
  text_selection: false,
  pointer: 'auto',
  zoom: false,
};

/** A browser and its compositor for tests of the display. It can be slow, unresponsive or disconnected. */
export class FakeBrowser implements Browser, Compositor {
  connected = false;
  uri: string | null = null;
  readonly calls: string[] = [];
  /** Of the next loads. `hold`: start and get no answer; `commit`: never finish; `silent`: never start. */
  behaviour: 'finish' | 'fail' | 'hold' | 'commit' | 'silent' = 'finish';
  /** HTTP status of the next loads. */
  status = 200;
  /** The server of the next loads asks for a password. */
  denies = false;
  /** Names of the compositor's outputs. */
  compositorOutputs = ['Virtual-1'];
  /** Rotation of the outputs, null for off; a new output is on and not rotated. */
  readonly turned = new Map<string, Rotation | null>();
  /** How outputs are used; a new one is used in its own mode, unscaled. */
  readonly used = new Map<string, OutputSettings>();
  /** Error of the compositor when it should rotate an output; `silent`: it takes the command and does nothing. */
  refusal: string | undefined;
  answersPings = true;
  framesReachScreen = true;
  takesCommands = true;
  settings: BrowserSettings | undefined;
  runScript = async (body: string): Promise<ScriptResult> => ({ value: body });
  /** Settings take effect in a new process only. */
  needsRestart = false;
  html = '';
  readonly #events = new KindEvents<BrowserEvent>();
  readonly on = this.#events.on;
  /** Id of the last load. */
  lastLoad = 0;
  #pid = 41;

  get pid(): number | null {
    return this.connected ? this.#pid : null;
  }

  /** @param uri address of its document: the same process connects again; null: a new process */
  plug(uri: string | null = null): void {
    if (uri === null) this.#pid += 1;
    this.connected = true;
    this.turned.clear();
    this.used.clear();
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

  /** Number of calls whose record starts with `start`. */
  count(start: string): number {
    return this.calls.filter((call) => call.startsWith(start)).length;
  }

  async configure(settings: BrowserSettings): Promise<boolean> {
    await this.#note('configure');
    this.settings = settings;
    return this.needsRestart;
  }

  async keyboard(settings: KeyboardSettings): Promise<void> {
    await this.#note(`keyboard ${JSON.stringify(settings)}`);
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

  async showsFrames(): Promise<boolean> {
    this.calls.push('frame');
    return this.framesReachScreen;
  }

  async terminatePage(): Promise<void> {
    await this.#note('terminate');
    this.emit({ event: 'page_gone', reason: 'terminated' });
  }

  async evaluate(body: string): Promise<ScriptResult> {
    await this.#note(`evaluate ${body}`);
    return await this.runScript(body);
  }

  async screenshot(): Promise<Buffer> {
    await this.#note('screenshot');
    return Buffer.from('png');
  }

  async outputs(): Promise<Output[]> {
    await this.#note('outputs');
    return this.compositorOutputs.map((name) => {
      const rotation = this.turned.has(name) ? (this.turned.get(name) ?? null) : 0;
      const isOn = rotation !== null;
      const used = this.used.get(name);
      return {
        name,
        mode: isOn ? (used?.mode ?? '1280x720@75') : null,
        rotation,
        scale: isOn ? (used?.scale ?? 1) : null,
        modes: ['1280x720@75', '800x600@60'],
        make: null,
        model: null,
      };
    });
  }

  async drive(output: string, settings: OutputSettings, others: readonly string[]): Promise<void> {
    const { rotation, scale, mode } = settings;
    const extra = [...(scale === 1 ? [] : [`x${scale}`]), ...(mode === null ? [] : [mode])];
    await this.#note(['drive', output, rotation, ...extra, ...others.map((name) => `-${name}`)].join(' '));
    if (this.refusal === 'silent') return;
    if (this.refusal !== undefined) throw new Error(this.refusal);
    this.turned.set(output, rotation);
    this.used.set(output, settings);
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
    this.lastLoad += 1;
    const load = this.lastLoad;
    const accepted = this.#note(call);
    void accepted.then(
      () => {
        if (behaviour === 'silent') return;
        this.emit({ event: 'load', state: 'started', load, uri });
        if (behaviour === 'finish' || behaviour === 'commit') {
          const common = { event: 'load', load, uri, status: this.status } as const;
          this.emit({ ...common, state: 'committed', authentication_required: this.denies });
          if (behaviour === 'commit') return;
          this.emit({ ...common, state: 'finished', authentication_required: this.denies });
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
