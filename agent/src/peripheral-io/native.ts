/** Native modules, loaded late: each program needs those of its kind only. */
import { createRequire } from 'node:module';
import { errorMessage } from '../base/system-error.ts';
import { CommandError } from './errors.ts';

const require = createRequire(import.meta.url);

export type NodeHid = typeof import('node-hid');
export type Koffi = typeof import('koffi');
export type Libusb = typeof import('usb').usb;

/** @throws CommandError */
export const loadNodeHid = (): NodeHid => load('node-hid', () => require('node-hid'));
/** @throws CommandError */
export const loadKoffi = (): Koffi => load('koffi', () => require('koffi'));
/** @throws CommandError */
export const loadLibusb = (): Libusb => load('usb', () => require('usb/dist/usb'));

function load<Module>(name: string, required: () => Module): Module {
  try {
    return required();
  } catch (error) {
    const [reason] = errorMessage(error).split('\n', 1);
    throw new CommandError('NotSupportedError', `The module ${name} cannot be loaded: ${reason}`, {
      cause: error,
    });
  }
}
