/** Facts about the board that cannot be measured at run time; they come from the board file. */
export interface Board {
  /** `model_profile` of the Device resource. */
  profile: string;
  /** Whether this is the appliance itself, with kiosk, slots and data partition, and not some Linux computer. */
  ownsSystem: boolean;
  /** File that makes the next boot create a new data partition; undefined where that is not supported. */
  factoryResetFlag?: string;
  /** Serial lines of the cable, in the order in which hosts see them. */
  serialLines: readonly string[];
  /** Loopback port of the displayed bundle, `http://<name>.localhost:<port>`; 0 takes a free one. */
  contentPort: number;
  /** Folder for data that must survive an update. */
  dataFolder: string;
  /** Folder for sockets and for state that ends with a reboot. */
  runtimeFolder: string;
  /**
   * Whether the agent manages the system's Wi-Fi and Bluetooth radios. On a computer that is not the appliance it does
   * not: there every Wi-Fi and Bluetooth endpoint answers as on a board without radios.
   */
  managesRadios: boolean;
  /** Whether something can be plugged into the board: it has a USB port besides that of the cable. */
  usbHostPort: boolean;
  /** Whether the board has a built-in radio that can run a 5 GHz access point. */
  dualBandRadio: boolean;
  /** DRM connectors of screens, preferred one first. Connectors that are not listed follow in the kernel's order. */
  screens: readonly string[];
}
