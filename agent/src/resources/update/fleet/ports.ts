/** What the fleet client needs of the updater and of the device. */

/** Where RAUC fetches a bundle from. */
export interface BundleSource {
  url: string;
  /** Whole header lines, for example `Authorization: TargetToken …`. */
  headers: readonly string[];
  /** Path of a PEM file with the authorities to trust in place of the system's. */
  tlsCa?: string;
  /** Stored with the install, and reported again in `lastResult` after the reboot. */
  reference: string;
}

export interface UpdaterState {
  /** The running version. */
  version: string;
  /** What is installed and not applied. */
  pending: { version: string; reference: string | null } | null;
  /** How the last applied update ended. */
  lastResult: {
    /** `failed`: the slot was not activated. The update may be applied again while it is pending. */
    outcome: 'success' | 'rolled_back' | 'failed';
    reason: { code: string; message: string } | null;
    reference: string | null;
    version: string;
  } | null;
  /** Whether the running boot was confirmed. */
  confirmed: boolean;
  /** Whether an update was applied in this boot: the device has yet to reboot. */
  rebooting: boolean;
}

/** What the fleet client needs of the installation. */
export interface FleetInstaller {
  /**
   * Installs a bundle from a URL into the inactive slot (RAUC streams it with HTTP range requests). Resolves when it is
   * installed and can be applied.
   * @param progress called with 0 to 1
   * @throws ApiError `bundle_invalid` when this bundle can never be installed: that is the end of the update.
   *   `conflict` while another install runs or the boot is not confirmed, and `unavailable` when the network broke: the
   *   install is repeated until it works, and does not fetch again what is in the slot. Any other code, for example
   *   `internal` for an I/O error that the network or a damaged bundle has caused: repeated ten times
   */
  installFrom(source: BundleSource, progress: (fraction: number) => void): Promise<void>;
}

/** What the fleet client needs of the trial of a slot. */
export interface FleetTrial {
  /**
   * Activates what was installed with this reference and reboots. Once it is applied: asks for the reboot again.
   * @throws ApiError `conflict` when it is not pending
   */
  applyInstalled(reference: string): Promise<void>;
  /** Forgets what was installed with this reference and not applied. */
  discard(reference: string): Promise<void>;
  state(): Promise<UpdaterState>;
}
