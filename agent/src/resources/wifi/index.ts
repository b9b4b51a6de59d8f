import { radioResource } from '../radio.ts';
import { wifiConfig } from './config.ts';
import * as contract from './schema.ts';

export const wifi = radioResource('wifi', contract, wifiConfig, (config) => config.get(wifiConfig).enabled);
