/** What Bluetooth needs of the board and of its Bluetooth daemon. */

/** The adapter as the daemon reports it. */
export interface AdapterState {
  /** The daemon's name for it, the same until it is unplugged or the daemon ends. */
  id: string;
  address: string;
  alias: string;
  powered: boolean;
  /** The kernel's switch for radios (rfkill) keeps it off. */
  blocked: boolean;
  discovering: boolean;
  discoverable: boolean;
  /** After this time the daemon makes it undiscoverable again, in seconds; 0: never. */
  discoverableTimeout: number;
  /** Whether new devices can pair at all. */
  pairable: boolean;
}

/** A device that the adapter knows or has found. Its texts come from the device itself, without control characters. */
export interface RemoteDevice {
  /** The daemon's name for it. */
  id: string;
  address: string;
  name: string | null;
  paired: boolean;
  connected: boolean;
  /** Its connections need no permission of the agent. */
  trusted: boolean;
  /** Strength of its signal in dBm; null if it is not found at present. */
  rssi: number | null;
  /** Kind of device by the names of freedesktop.org: `input-keyboard`. */
  icon: string | null;
  /** What it offers, as 128-bit UUIDs in lower case. */
  profiles: readonly string[];
}

/** A setting of the adapter with its new value. */
export type AdapterSetting =
  | { name: 'powered' | 'discoverable' | 'pairable'; value: boolean }
  | { name: 'alias'; value: string }
  | { name: 'discoverableTimeout'; value: number };

export interface DaemonState {
  /** The daemon answers and its objects are known. */
  isUp: boolean;
  /** The first adapter; undefined without one. */
  adapter: AdapterState | undefined;
  /** Ids of other adapters that are switched on. */
  othersPowered: readonly string[];
}

/** What the daemon asks before it goes on with a device. */
export type PairingRequest = {
  /** Ids of the adapter and of the device. */
  adapter: string;
  device: string;
} & (
  | { kind: 'authorize' }
  /** Both devices have this number; it is displayed, nobody compares it. */
  | { kind: 'confirm'; passkey: string }
  /** The number or PIN must be typed on the device. The daemon does not wait for the answer to a number. */
  | { kind: 'display'; passkey: string }
  /** The agent chooses a PIN for a device of before 2007. */
  | { kind: 'choose_pin' }
  /** The device displays a number that would have to be typed here. */
  | { kind: 'type_passkey' }
  /** A connection with a profile of a device that is not trusted. @param profile 128-bit UUID, lower case */
  | { kind: 'service'; profile: string }
);

/** The answer to a request: refused, or accepted with the PIN if one was to be chosen. */
export type PairingAnswer = { accepted: false } | { accepted: true; pin?: string };

/** Decides about pairing, for the daemon. */
export interface PairingAgent {
  answer(request: PairingRequest): PairingAnswer;
  /** The last request is over: what was displayed for it is not needed any more. */
  cancel(): void;
  /** The daemon has forgotten the agent. */
  released(): void;
}

/**
 * The Bluetooth radio with its daemon. Calls reject with an ApiError `unavailable` whose message says why, in time.
 */
export interface BluetoothRadio {
  /** Whether the kernel has an adapter now. */
  isPresent(): Promise<boolean>;
  startDaemon(): Promise<void>;
  stopDaemon(): Promise<void>;
  /** Empty state until `watch` was called. */
  readonly state: DaemonState;
  /** The devices of the first adapter by id, of which there may be thousands. */
  readonly devices: ReadonlyMap<string, RemoteDevice>;
  /** Follows the daemon, whenever it runs, and calls `changed` after every change, until the returned function is called. */
  watch(changed: () => void, agent: PairingAgent): () => void;
  /** Makes the agent of `watch` the one that the daemon asks. */
  registerAgent(): Promise<void>;
  /** Resolves when `state` has the value. */
  set(adapter: string, setting: AdapterSetting): Promise<void>;
  setDiscovering(adapter: string, active: boolean): Promise<void>;
  /** Pairs, within 30 s, and learns within 20 s more what the device offers. Does nothing for a device that is paired. */
  pair(device: string): Promise<void>;
  /** Resolves when `devices` says so. */
  trust(device: string): Promise<void>;
  /** Connects all profiles, within 10 s. */
  connect(device: string): Promise<void>;
  disconnect(device: string): Promise<void>;
  /** Removes it with its keys. */
  remove(adapter: string, device: string): Promise<void>;
}
