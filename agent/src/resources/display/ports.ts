import type { Rotation } from './schema.ts';

/** What the screen is meant to show; survives every crash. */
export type Target = { mode: 'waiting' } | { mode: 'url'; url: string } | { mode: 'bundle'; name: string };

/** The stored bundles, as far as showing them goes. */
export interface Bundles {
  /** What is stored under that name; synchronous, so that nothing can come between this and what follows. */
  locate(name: string): unknown;
  /** Why the bundle cannot be shown, in plain English; undefined when it can be. A quick look, not a whole check. */
  problem(name: string): Promise<BundleProblem | undefined>;
  /** Where the browser finds its start page. */
  url(name: string): string;
}

export interface BundleProblem {
  code: 'bundle_missing' | 'bundle_damaged';
  message: string;
}

/** What the browser is told about itself (configuration group `browser`). */
export interface BrowserSettings {
  userAgent: string | null;
  ignoreTlsErrors: boolean;
  /** Of one web process, in MiB; 0 for none. */
  memoryLimitMb: number;
}

/** What the browser tells of its own accord (browser/PROTOCOL.md). */
export type BrowserEvent =
  | { event: 'connected'; uri: string | null }
  | { event: 'disconnected' }
  | {
      event: 'load';
      state: 'started' | 'redirected' | 'committed' | 'finished';
      load: number;
      uri: string;
      /** Of HTTP, of a document that is committed. */
      status?: number;
      /** The document is the answer to who tells no password. */
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
  | { event: 'painted'; load: number }
  | { event: 'page_gone'; reason: 'crashed' | 'memory' | 'terminated' };

export type BrowserEventKind = BrowserEvent['event'];
/** The events of some kinds. */
export type BrowserEventOf<K extends BrowserEventKind> = Extract<BrowserEvent, { event: K }>;

/** A load that was asked for: its events carry `id`; `accepted` rejects when the browser never took it. */
export interface Load {
  id: number;
  accepted: Promise<void>;
}

/** An output as the compositor drives it. */
export interface Output {
  name: string;
  /** `<width>x<height>@<refresh>`; null while it is off. */
  mode: string | null;
  /** Clockwise; null while it is off, or mirrored. */
  rotation: Rotation | null;
  modes: string[];
}

/** The browser at the other end of the socket. Every call rejects when it is gone or too slow. */
export interface Browser {
  readonly connected: boolean;
  /** Process id while connected. */
  readonly pid: number | null;
  /** Of the document that was on the screen when it connected; null when there was none. */
  readonly uri: string | null;
  /** Calls `listener` with every event of these kinds until the returned function is called. */
  on<K extends BrowserEventKind>(
    kinds: readonly K[],
    listener: (event: BrowserEventOf<K>) => void,
  ): () => void;
  /** @returns whether a part takes effect only in a new process */
  configure(settings: BrowserSettings): Promise<boolean>;
  load(uri: string): Load;
  /** Shows a document of ours under a `vitrine:` URI. */
  loadHtml(html: string, uri: string): Load;
  reload(): Load;
  /** @returns false when the page's main thread did not answer in time; never rejects */
  ping(timeoutMs: number): Promise<boolean>;
  terminatePage(): Promise<void>;
  /** @returns PNG */
  screenshot(): Promise<Buffer>;
  /** Ends the browser's process; its unit starts a new one. */
  quit(): Promise<void>;
}

/** What puts the browser's picture on the outputs. Every call rejects when it is gone or too slow. */
export interface Compositor {
  outputs(): Promise<Output[]>;
  /**
   * Shows the picture on one output alone; a compositor left to itself spreads it over all that it has.
   * @param rotation clockwise
   * @param others outputs that are turned off
   */
  drive(output: string, rotation: Rotation, others: readonly string[]): Promise<void>;
}

/** The service that runs compositor and browser. */
export interface Kiosk {
  /** Whether this system has the service at all. */
  readonly installed: boolean;
  restart(): Promise<void>;
}

/** What the browser keeps on the disk: cookies, storage, caches, service workers, of all origins. */
export interface BrowserData {
  /** Takes all of it away; call only while no browser has it open. */
  clear(): Promise<void>;
}

/** A connector of the graphics hardware. */
export interface Connector {
  /** `HDMI-A-1`, `Virtual-1`. */
  id: string;
  /** Something is plugged in, and it has modes. */
  connected: boolean;
  /** The kernel drives the output. */
  powered: boolean;
  /** `<width>x<height>`, with `@<refresh>` where the EDID tells it; best first. */
  modes: string[];
  make: string | null;
  model: string | null;
}

export interface Connectors {
  /** All connectors that can carry a screen; empty without graphics hardware. */
  read(): Promise<Connector[]>;
}

/** Remembers the target. */
export interface TargetStore {
  /** What this boot showed before the agent was restarted. */
  current(): Promise<Target | undefined>;
  /** What was shown last, over boots. */
  last(): Promise<Target | undefined>;
  /** @param lasting also over boots */
  save(target: Target, lasting: boolean): Promise<void>;
}

/** The waiting page, and the page that tells why the target is not there. */
export interface WaitingPage {
  render(notice: Notice | undefined): Promise<string>;
}

export interface Notice {
  /** What cannot be shown. */
  what: string;
  /** Why, in plain English. */
  why: string;
  /** Whether the device goes on trying by itself. */
  retrying: boolean;
}

/** The part of the agent's logger that the display uses. */
export interface DisplayLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What a page gets for a `vitrine:` URI. */
export interface PageResource {
  contentType: string;
  /** Changes with the bytes. */
  version: string;
  read(): Promise<Buffer>;
}

/** Whether pages reach services of the host at the other end of the USB cable (`browser.allow_host_services`). */
export interface HostServices {
  /** @throws Error when the firewall could not be changed */
  allow(allowed: boolean): Promise<void>;
  /** What an operator should know, as sentences. */
  problems(): string[];
}

/** What the display needs of the board. */
export interface DisplayPorts {
  browser: Browser;
  compositor: Compositor;
  kiosk: Kiosk;
  /** Undefined where what the browser stores is not the device's own. */
  browserData: BrowserData | undefined;
  connectors: Connectors;
  targetStore: TargetStore;
  /** What pages find under `vitrine:`, by URI without its query. */
  pageResources: Map<string, () => PageResource>;
  /** Undefined where the firewall is not the device's own. */
  hostServices: HostServices | undefined;
  identity: { version: string };
}
