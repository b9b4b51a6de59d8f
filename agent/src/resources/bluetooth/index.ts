import { radioResource } from '../radio.ts';
import { bluetoothConfig } from './config.ts';
import * as contract from './schema.ts';

export const bluetooth = radioResource(
  'bluetooth',
  contract,
  bluetoothConfig,
  (config) => config.get(bluetoothConfig).enabled,
);
