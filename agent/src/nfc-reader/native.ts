/** Native modules, loaded late: a computer without a reader may lack them, and each costs memory. */
import { createRequire } from 'node:module';
import { errorCode, errorMessage } from '../base/system-error.ts';
import { ReaderError } from './errors.ts';

const require = createRequire(import.meta.url);

type I2cBus = typeof import('i2c-bus');
type SpiDevice = typeof import('spi-device');
type Koffi = typeof import('koffi');

/** @throws ReaderError */
export const loadI2cBus = (): I2cBus => load('i2c-bus', () => require('i2c-bus'));
/** @throws ReaderError */
export const loadSpiDevice = (): SpiDevice => load('spi-device', () => require('spi-device'));
/** @throws ReaderError */
export const loadKoffi = (): Koffi => load('koffi', () => require('koffi'));

function load<Module>(name: string, required: () => Module): Module {
  try {
    return required();
  } catch (error) {
    throw new ReaderError(
      errorCode(error) === 'MODULE_NOT_FOUND'
        ? `The module ${name} is not installed.`
        : `The module ${name} cannot be loaded: ${errorMessage(error).split('\n', 1)}`,
      { cause: error },
    );
  }
}
