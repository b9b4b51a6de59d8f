/** An output that can play now. */
export interface SoundOutput {
  /** The server's name for it, the same after a restart. */
  id: string;
  kind: 'usb' | 'hdmi' | 'other';
  /** For people, one line. Two outputs may have the same. */
  label: string;
  /** False if the socket has a sensor and nothing is plugged in. */
  plugged: boolean;
  /** Percent; null while its channels differ. */
  volume: number | null;
  mute: boolean;
}

/** The sound server's state. */
export interface SoundState {
  outputs: SoundOutput[];
  /** Id of the output that all streams play on; null if it is none of `outputs`. */
  current: string | null;
}

/** Mixes all streams and plays them on one output. Calls reject when it is not running or does not answer in time. */
export interface SoundServer {
  /** Whether the device has a sound card that can play, even if nothing is plugged into it. */
  hasHardware(): Promise<boolean>;
  read(): Promise<SoundState>;
  /** Sets the volume of an output and moves all streams to it, also those that are playing. @param volume percent */
  use(id: string, volume: number, mute: boolean): Promise<void>;
  /** Calls `changed` whenever something may have changed, until the returned function is called. */
  watch(changed: () => void): () => void;
}
