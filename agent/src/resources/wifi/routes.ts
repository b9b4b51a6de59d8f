import { type Gate, notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Config } from '../config/schema.ts';
import {
  connectWifi,
  getWifi,
  getWifiNetworks,
  scanWifi,
  setAccessPoint,
  setWifiNetworks,
} from './schema.ts';

/** Whether the device has a Wi-Fi radio that is its own to manage, as measured now. */
export type HasWifiRadio = () => boolean | Promise<boolean>;

/** Without a radio every endpoint is 503 `wifi_unsupported`, switched off `wifi_disabled` (interface: Wi-Fi). */
export function wifiGate(config: { get(): Config }, hasRadio: HasWifiRadio): Gate {
  return async () => {
    if (!(await hasRadio())) throw new ApiError('wifi_unsupported');
    if (!config.get().wifi.enabled) throw new ApiError('wifi_disabled');
  };
}

export function wifiRoutes(config: { get(): Config }, hasRadio: HasWifiRadio): Route[] {
  const gate = wifiGate(config, hasRadio);
  return [getWifi, scanWifi, getWifiNetworks, setWifiNetworks, connectWifi, setAccessPoint].map((endpoint) =>
    notWired(endpoint, gate),
  );
}
