/** Gives a page the interfaces that its origin may use, before its own scripts run. */
import type { Interface } from '../../src/resources/peripherals/page-protocol.ts';
import { createBridge } from './bridge.ts';
import { installHid } from './hid.ts';
import { installNfc } from './nfc.ts';
import { installSerial } from './serial.ts';
import { installUsb } from './usb.ts';

declare global {
  /** The agent puts it in front of the script. */
  const vitrineInterfaces: readonly Interface[];
}

const bridge = createBridge();
if (vitrineInterfaces.includes('hid')) installHid(bridge);
if (vitrineInterfaces.includes('serial')) installSerial(bridge);
if (vitrineInterfaces.includes('usb')) installUsb(bridge);
if (vitrineInterfaces.includes('nfc')) installNfc(bridge);
