/** What cannot be measured from the running system: it stands in the board's file. */
export interface Board {
  /** `model_profile` of the Device resource. */
  profile: string;
  /** Whether this is the appliance itself: kiosk, slots, data partition. On somebody's computer it is not. */
  ownsSystem: boolean;
  /** The file that makes the next boot start with a new data partition; absent where there is none. */
  factoryResetFlag?: string;
  /** The serial links of the cable, in the order they are offered to hosts. */
  serialLines: readonly string[];
  /** Loopback port on which the displayed bundle is served, `http://<name>.localhost:<port>`; 0 takes a free one. */
  contentPort: number;
  /** Where the agent keeps what must survive an update. */
  dataFolder: string;
  /** Sockets and state that a reboot forgets. */
  runtimeFolder: string;
  /**
   * Whether Wi-Fi and Bluetooth radios that the system shows are the device's own to manage. On somebody's
   * computer they are not: there every Wi-Fi and Bluetooth endpoint answers as on a board without radios.
   */
  managesRadios: boolean;
  /** Whether the board has a radio of its own, soldered on (interface: Device, model_profile). */
  integratedRadio: boolean;
  /** Whether that radio can carry a 5 GHz access point. */
  dualBandRadio: boolean;
  /** Whether peripherals can be plugged in; without, the `devices` configuration is kept and inert. */
  usbHostPort: boolean;
  /** DRM connectors for screens, the preferred first; those that it does not name come after, as the kernel lists them. */
  screens: readonly string[];
}
