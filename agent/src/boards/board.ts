/** What a board's name alone decides; everything else is measured from the running system. */
export interface Board {
  /** `model_profile` of the Device resource. */
  profile: string;
  /** The serial links of the cable, in the order they are offered to hosts. */
  serialLines: readonly string[];
  /** Where the agent keeps what must survive an update. */
  dataFolder: string;
  /** Sockets and state that a reboot forgets. */
  runtimeFolder: string;
  /** Whether an integrated radio can carry a 5 GHz access point. */
  dualBandRadio: boolean;
}
