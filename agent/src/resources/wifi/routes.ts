import { type Gate, notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import {
  connectWifi,
  getWifi,
  getWifiNetworks,
  scanWifi,
  setAccessPoint,
  setWifiNetworks,
} from './schema.ts';

export interface WifiState {
  /** Whether the device has a radio of its own to manage, as measured now. */
  hasRadio: () => Promise<boolean>;
  isEnabled: () => boolean;
}

/** Without a radio every endpoint answers 503 `wifi_unsupported`, disabled `wifi_disabled` (interface: Wi-Fi). */
export function wifiRoutes({ hasRadio, isEnabled }: WifiState): Route[] {
  const gate: Gate = async () => {
    if (!(await hasRadio())) throw new ApiError('wifi_unsupported');
    if (!isEnabled()) throw new ApiError('wifi_disabled');
  };
  return [getWifi, scanWifi, getWifiNetworks, setWifiNetworks, connectWifi, setAccessPoint].map((endpoint) =>
    notWired(endpoint, gate),
  );
}
