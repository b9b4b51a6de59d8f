import type { Board } from './board.ts';

/** The QEMU machine: the emulated gadget, and a virtio port for hosts that have no USB in the way. */
export const virt: Board = {
  profile: 'virt',
  ownsSystem: true,
  factoryResetFlag: '/data/.factory-reset',
  serialLines: ['/dev/ttyGS0', '/dev/virtio-ports/org.vitrine.serial'],
  // Part of the bundles' origins, so what pages store goes by it; firewall.nft names it too.
  contentPort: 8090,
  dataFolder: '/data',
  runtimeFolder: '/run/vitrine',
  managesRadios: true,
  integratedRadio: false,
  dualBandRadio: false,
  usbHostPort: true,
  screens: [],
};
