import type { BundleProblem } from '../content/schema.ts';
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
export interface BrowserSettings extends Pick<BrowserConfig, 'user_agent' | 'ignore_tls_errors'> {
  /** Of one web process, in MiB; 0 for none. */
  memory_limit_mb: number;
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
  | { event: 'painted'; load: number }
  | { event: 'page_gone'; reason: 'crashed' | 'memory' | 'terminated' };

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
  modes: string[];
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
  /** Once on each connection. The browser opens its files only then, and takes no commands about a page before. */
  configure(settings: BrowserSettings): Promise<void>;
  load(uri: string): Load;
  /** Shows HTML of the agent under a `vitrine:` URI. */
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

/** Shows the browser on the outputs. Every call rejects when it is not running or does not answer in time. */
export interface Compositor {
  outputs(): Promise<Output[]>;
  /**
   * Uses one output alone; by default a compositor spreads the browser over all of them.
   * @param rotation clockwise
   * @param others outputs that are turned off
   */
  drive(output: string, rotation: Rotation, others: readonly string[]): Promise<void>;
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
}

export interface Connectors {
  /** All connectors that can carry a screen; empty without graphics hardware. */
  read(): Promise<Connector[]>;
}

/** Saves the target. */
export interface TargetStore {
  /** The target of this boot, from before the agent was restarted. */
  current(): Promise<Target | undefined>;
  /** The last target that was saved for the next boot. */
  last(): Promise<Target | undefined>;
  /** @param lasting also for the next boot */
  save(target: Target, lasting: boolean): Promise<void>;
}

/** The answer to a page's request for a `vitrine:` URI. */
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
  /** Warnings for the operator, as sentences. */
  problems(): string[];
}

/** The display's ports to the board. */
export interface DisplayPorts {
  browser: Browser;
  compositor: Compositor;
  kiosk: Kiosk;
  /** Undefined when the browser's data does not belong to the device. */
  browserData: BrowserData | undefined;
  connectors: Connectors;
  targetStore: TargetStore;
  /** Resources that pages can load under `vitrine:`, by URI without its query. */
  pageResources: Map<string, () => PageResource>;
  /** Undefined when the firewall does not belong to the device. */
  hostServices: HostServices | undefined;
  identity: { version: string };
}
