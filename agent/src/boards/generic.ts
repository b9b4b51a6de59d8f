import type { Board } from '../base/board.ts';

/** Any Linux computer, without a cable; folders and links come from the command line. */
export const generic: Board = {
  profile: 'generic',
  ownsSystem: false,
  serialLines: [],
  contentPort: 0,
  dataFolder: '/var/lib/vitrine',
  runtimeFolder: '/run/vitrine',
  managesRadios: false,
  dualBandRadio: false,
  usbHostPort: true,
  screens: [],
};
