/** What the Wi-Fi resource needs of the board. */

/** A network that the radio may join. */
export interface StationNetwork {
  ssid: string;
  /** WPA2 or WPA3 passphrase; empty for an open network. */
  psk: string;
  /** Of the networks in range, the one with the highest is joined. */
  priority: number;
}

export interface StationSetup {
  mode: 'station';
  /** ISO 3166-1 alpha-2. */
  country: string;
  networks: readonly StationNetwork[];
  /** Joins this one of `networks` only; undefined: the best in range. */
  only: string | undefined;
}

export interface AccessPointSetup {
  mode: 'ap';
  country: string;
  ssid: string;
  psk: string;
  band: '2.4' | '5';
  /** 0: the least busy one. */
  channel: number;
}

/** What the radio is to do. */
export type Setup = StationSetup | AccessPointSetup;

/** Why there is no connection or no access point. */
export type FailureCode =
  | 'wrong_passphrase'
  | 'refused'
  | 'not_found'
  | 'no_address'
  | 'rfkill'
  | 'channel_not_allowed'
  | 'radio_failed';

/** What the radio does. A frequency is that of the channel's centre, in MHz. */
export type Link =
  | { phase: 'idle' | 'searching' | 'joining' | 'blocked' }
  | { phase: 'joined'; ssid: string; bssid: string; frequencyMhz: number; signalDbm: number }
  | { phase: 'serving'; frequencyMhz: number };

/** One network that a scan has found. */
export interface SeenNetwork {
  /** Empty for a hidden network. */
  ssid: string;
  bssid: string;
  signalDbm: number;
  frequencyMhz: number;
  security: 'open' | 'wep' | 'wpa2' | 'wpa3' | 'enterprise';
}

export type RadioEvent =
  /** The radio can be set up; nothing is. Also when its service or its driver has been restarted. */
  | { type: 'ready' }
  /** The radio or its service is gone. A `ready` follows when it is back. */
  | { type: 'lost' }
  /** The service of a radio that was plugged in did not start. */
  | { type: 'start_failed' }
  | { type: 'link'; link: Link }
  /** An attempt to join a network or to start the access point has failed. */
  | { type: 'failed'; code: FailureCode }
  /** A search for the station's networks, which began after the setup or has found one, has ended without a join. */
  | { type: 'searched'; inRange: boolean }
  /** Stations at the access point. */
  | { type: 'stations'; count: number };

export interface WifiRadio {
  /** Starts the radio's service; `ready` follows. @throws Error when it does not start */
  start(): Promise<void>;
  /** Ends everything that the radio does, and its service. */
  stop(): Promise<void>;
  /**
   * Replaces what the radio does. Networks that are in the setup before and after it stay joined.
   * @throws Error when the radio refuses
   */
  setUp(setup: Setup): Promise<void>;
  /** Calls at the same time share one scan. @throws Error when the radio cannot scan now, or does not finish in time */
  scan(): Promise<SeenNetwork[]>;
  /** The signal of the joined network now, in dBm; undefined without one. */
  signal(): Promise<number | undefined>;
  /** The name of its network interface; undefined without a radio. */
  readonly interfaceName: string | undefined;
  /** Network interfaces may have come or gone. */
  interfacesChanged(): void;
  /** Whether a hardware switch or rfkill keeps the radio from transmitting. */
  isBlocked(): Promise<boolean>;
  /** Calls `listener` until the returned function is called. */
  listen(listener: (event: RadioEvent) => void): () => void;
}
