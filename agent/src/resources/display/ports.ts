import type { BundleProblem } from '../content/schema.ts';
import type { ScriptResult } from '../page/ports.ts';
import type { BrowserConfig } from './config.ts';
import type { Rotation } from './schema.ts';

/** What the screen should show. */
export type Target = { mode: 'waiting' } | { mode: 'url'; url: string } | { mode: 'bundle'; name: string };

/** The stored bundles. */
export interface Bundles {
  /** Undefined when there is no such bundle. Synchronous, so that the answer still holds for what follows. */
  locate(name: string): unknown;
  /** Why the bundle cannot be shown; undefined when it can be. A quick check, not one of every file. */
  problem(name: string): Promise<BundleProblem | undefined>;
}

/** The browser's part of the configuration group `browser`. */
export interface BrowserSettings
  extends Pick<
    BrowserConfig,
    'user_agent' | 'languages' | 'ignore_tls_errors' | 'permissions' | 'text_selection' | 'pointer' | 'zoom'
  > {
  /** Of one web process, in MiB; 0 for none. */
  memory_limit_mb: number;
  /** 0: no inspector. */
  inspector_port: number;
  /** null: none; either `pac`, or `http` or `https`. `exceptions`: hosts, domains, addresses and networks. */
  proxy: { http: string | null; https: string | null; pac: string | null; exceptions: string[] } | null;
}

/** The on-screen keyboard. */
export interface KeyboardSettings {
  enabled: boolean;
  /** The first one is shown first; empty: English. */
  layouts: BrowserConfig['keyboard_layouts'];
}

/** Events from the browser (browser/PROTOCOL.md). */
export type BrowserEvent =
  | { event: 'connected'; uri: string | null }
  | { event: 'disconnected' }
  | {
      event: 'load';
      state: 'started' | 'redirected' | 'committed' | 'finished';
      load: number;
      uri: string;
      /** HTTP status of a committed document. */
      status?: number;
      /** The document is the server's answer to a missing password. */
      authentication_required?: boolean;
    }
  | {
      event: 'load_failed';
      load: number;
      uri: string;
      /** `cancelled`: by the page on the screen. */
      kind: 'network' | 'tls' | 'policy' | 'cancelled';
      message: string;
    }
  /** A script changed the address of the document on the screen. */
  | { event: 'moved'; uri: string }
  | { event: 'painted'; load: number }
  | { event: 'page_gone'; reason: 'crashed' | 'memory' | 'terminated' }
  /** Why the proxy's PAC script gives no answers; null: it does again. */
  | { event: 'pac_failed'; reason: string | null };

/** The events of some kinds. */
export type BrowserEventOf<K extends BrowserEvent['event']> = Extract<BrowserEvent, { event: K }>;

/** A requested load: its events carry `id`; `accepted` rejects when the browser did not take the command. */
export interface Load {
  id: number;
  accepted: Promise<void>;
}

/** An output of the compositor. */
export interface Output {
  name: string;
  /** `<width>x<height>@<refresh>`; null while it is off. */
  mode: string | null;
  /** Clockwise; null while it is off, or mirrored. */
  rotation: Rotation | null;
  /** Pixels per CSS pixel; null while it is off. */
  scale: number | null;
  modes: string[];
  make: string | null;
  model: string | null;
}

/** The browser. Every call rejects when it is not connected or does not answer in time. */
export interface Browser {
  readonly connected: boolean;
  /** Process id while connected. */
  readonly pid: number | null;
  /** Address of the document that was on the screen when it connected; null without one. */
  readonly uri: string | null;
  /** Calls `listener` with every event of these kinds until the returned function is called. */
  on<K extends BrowserEvent['event']>(
    kinds: readonly K[],
    listener: (event: BrowserEventOf<K>) => void,
  ): () => void;
  /**
   * First on each connection: the browser opens its files only then, and takes no commands about a page before.
   * @returns whether some of the settings take effect only in a new process
   */
  configure(settings: BrowserSettings): Promise<boolean>;
  /** Also before `configure`; the browser keeps it across connections. */
  keyboard(settings: KeyboardSettings): Promise<void>;
  /** Shows a text above the page, null removes it. Also before `configure`; it ends with the connection. */
  notice(text: string | null): Promise<void>;
  load(uri: string): Load;
  /** Shows HTML of the agent under a `vitrine:` URI. */
  loadHtml(html: string, uri: string): Load;
  reload(): Load;
  /**
   * Asks the page's main thread, or with `afterInput` the browser first for all input that the compositor had before.
   * @returns false when there was no answer in time; never rejects
   */
  ping(timeoutMs: number, options?: { afterInput: boolean }): Promise<boolean>;
  /**
   * Whether a frame reaches the screen. A still page is painted again for it, which it cannot notice.
   * @returns false when none did in time; never rejects
   */
  showsFrames(timeoutMs: number): Promise<boolean>;
  terminatePage(): Promise<void>;
  /**
   * Runs the body of an async function in the page's top frame. Rejects with the `code` of a PageFailure.
   * @param timeoutMs 600 000 at most
   */
  evaluate(body: string, timeoutMs: number): Promise<ScriptResult>;
  /** @returns PNG */
  screenshot(): Promise<Buffer>;
  /** Ends the browser's process; its unit starts a new one. */
  quit(): Promise<void>;
}

/** Shows the browser on the outputs. Every call rejects when it is not running or does not answer in time. */
export interface Compositor {
  outputs(): Promise<Output[]>;
  /**
   * Uses one output alone; by default a compositor spreads the browser over all of them.
   * @param others outputs that are turned off
   */
  drive(output: string, settings: OutputSettings, others: readonly string[]): Promise<void>;
}

/** How an output is used. */
export interface OutputSettings {
  /** Clockwise. */
  rotation: Rotation;
  /** Pixels of the output per CSS pixel, in each direction. */
  scale: number;
  /** `<width>x<height>@<refresh>`; null: the one that the screen prefers. */
  mode: string | null;
}

/** The service that runs compositor and browser. */
export interface Kiosk {
  /** Whether this system has the service. */
  readonly installed: boolean;
  restart(): Promise<void>;
}

/** The browser's data on the disk: cookies, storage, caches, service workers, of all origins. */
export interface BrowserData {
  /** Deletes all of it; call only while no browser has it open. */
  clear(): Promise<void>;
}

/** What the browser and all its processes use. */
export interface BrowserMemory {
  /** Shared memory included, page cache excluded. */
  bytes: number;
  /** Processes that run pages. */
  webProcesses: number;
}

/** A connector of the graphics hardware. */
export interface Connector {
  /** `HDMI-A-1`, `Virtual-1`. */
  id: string;
  /** A screen is plugged in and has modes. */
  connected: boolean;
  /** The kernel drives the output. */
  powered: boolean;
  /** `<width>x<height>`, with `@<refresh>` where the EDID has it; best first. */
  modes: string[];
  make: string | null;
  model: string | null;
  /** Width and height of the picture in mm; null when the screen does not say. */
  sizeMm: { width: number; height: number } | null;
}

export interface Connectors {
  /** All connectors that can carry a screen; empty without graphics hardware. */
  read(): Promise<Connector[]>;
}

/** Power of a television, as it reports it. */
export type TelevisionPower = 'on' | 'to_on' | 'standby' | 'to_standby';

/** What HDMI-CEC says of the television on an output. */
export type TelevisionReport =
  /** The output has no HDMI-CEC. */
  | { state: 'no_cec' }
  /** The output has HDMI-CEC, and nothing is plugged in; some televisions look like that in standby. */
  | { state: 'unplugged' }
  /** `power` is null when the television did not answer. */
  | { state: 'plugged'; power: TelevisionPower | null };

/** The television on an output, over HDMI-CEC. Calls are made one after the other. */
export interface Television {
  /** @throws Error when the adapter does not work */
  read(connector: string): Promise<TelevisionReport>;
  /**
   * Sends the command; whether the television follows it is read afterwards.
   * @throws Error when no television took it
   */
  switch(connector: string, on: boolean): Promise<void>;
}

/** Remembers until the next boot which state the power schedule has set. */
export interface ScheduleMemory {
  read(): Promise<boolean | undefined>;
  write(on: boolean): Promise<void>;
}

/** Kinds of input devices that are present. */
export interface InputKinds {
  touch: boolean;
  /** A full keyboard, not only buttons. */
  keyboard: boolean;
}

/** Saves the target. */
export interface TargetStore {
  /** The target of this boot, from before the agent was restarted. */
  current(): Promise<Target | undefined>;
  /** The last target that was saved for the next boot. */
  last(): Promise<Target | undefined>;
  /** What an operator should know, as sentences. */
  problems?(): string[];
  /** @param lasting also for the next boot */
  save(target: Target, lasting: boolean): Promise<void>;
}

/** Whether pages reach services of the host at the other end of the USB cable (`browser.allow_host_services`). */
export interface HostServices {
  /** @throws Error when the firewall could not be changed */
  allow(allowed: boolean): Promise<void>;
  /** Warnings for the operator, as sentences. */
  problems(): string[];
}

/** The display's ports to the board. */
export interface DisplayPorts {
  browser: Browser;
  compositor: Compositor;
  kiosk: Kiosk;
  /** Null when it cannot be read. @param pid of the browser */
  browserMemory: (pid: number) => Promise<BrowserMemory | null>;
  /** Undefined when the browser's data does not belong to the device. */
  browserData: BrowserData | undefined;
  connectors: Connectors;
  /** Undefined when the screen does not belong to the device. */
  television: Television | undefined;
  /** Turns touches with the display, in degrees clockwise. @throws Error */
  turnTouches: (rotation: Rotation) => Promise<void>;
  scheduleMemory: ScheduleMemory;
  /** Whether the clock was set since boot, by a time server or from a clock with a battery. */
  clockIsSet: () => Promise<boolean>;
  targetStore: TargetStore;
  /** Undefined when the firewall does not belong to the device. */
  hostServices: HostServices | undefined;
  /** Never rejects. */
  inputKinds: () => Promise<InputKinds>;
  identity: { version: string };
}
