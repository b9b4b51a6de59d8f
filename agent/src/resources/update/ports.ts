/** What updates need of the system. */

export type SlotName = 'a' | 'b';

/** A slot as the update service (RAUC) knows it. */
export interface SlotFacts {
  /** Whether the boot loader would boot it: listed in its order, with attempts left. */
  bootable: boolean;
  /** `incomplete`: an installation was begun and not finished. `unknown`: nothing was installed since /data is new. */
  content: 'complete' | 'incomplete' | 'unknown';
  /** Version of the bundle that was installed last. */
  version: string | null;
  /**
   * Number of ended installations. It identifies the last one: the service forgets its `transaction` when it restarts
   * (RAUC 1.15 writes it into its status file and does not read it).
   */
  installations: number;
  /** How often it has been activated. */
  activations: number;
}

/** State of the boot slots. */
export interface SlotReport {
  booted: SlotName;
  slots: Record<SlotName, SlotFacts>;
}

/** The update service's view of the boot slots. */
export interface BootSlots {
  /** Undefined on a system without slots. @throws Error while an installation runs */
  read(): Promise<SlotReport | undefined>;
  /** Restores the boot attempts of the booted slot. */
  markGood(): Promise<void>;
  /** Puts a slot at the beginning of the boot order, with all attempts. */
  activate(slot: 'booted' | 'other'): Promise<void>;
  /** The versions that the slots contain, read from their file systems; null for one without a readable version. */
  versions(): Promise<Record<SlotName, string | null>>;
}

/** What to install. */
export interface InstallRequest {
  /** Path or URL of the bundle. */
  source: string;
  /** Identifies the installation in the service's log. */
  transaction: string;
  allowDowngrade: boolean;
  /** Whole header lines for a URL. */
  headers?: readonly string[];
  /** PEM file with the authorities for an https URL, in place of the system's. */
  tlsCa?: string;
}

/** The part of the update service that writes into the inactive slot. */
export interface BundleInstaller {
  /** The name of the boards whose bundles are accepted (`compatible`). */
  compatible(): Promise<string>;
  /** Begins an installation, or may have: without an answer too. @throws Error when the service refuses it */
  begin(request: InstallRequest): Promise<void>;
  /**
   * Waits until no installation runs.
   * @param progress called with 0 to 1
   * @returns the service's last error; empty after a success, and after the service has restarted
   * @throws Error when the service does not answer for a minute; the reason of `signal`
   */
  untilIdle(progress: (fraction: number) => void, signal: AbortSignal): Promise<string>;
}
