/** What this view does with the radio. Each resolves when the result can be seen in the device's state. */
import { RequestError } from '../../../../client/client.ts';
import { until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { storeConfig, storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import {
  type AccessPointSettings,
  type StoredNetwork,
  type WifiSettings,
  wifiSettingsIn,
  withNetwork,
  withNetworkAsBefore,
  withPreferred,
} from './wifi-settings.ts';
import { statusNow, wifi } from './wifi-state.ts';
import { type FailureCode, isFailureCode, type ScannedNetwork } from './wifi-words.ts';

/** For the state to follow after the device has answered. */
const RESULT_MS = 20_000;
/** A scan takes up to 25 s, and may have to wait for another one. */
const SCAN_MS = 60_000;
/** The device answers within 20 s. */
const ANSWER_MS = 40_000;

/** Why the radio has failed, and what to do. */
export function failureText(code: FailureCode): string {
  return `${t(`wifi.failed_${code}`)} ${t(`wifi.failed_${code}_do`)}`;
}

/** The settings as they are now on the device. @throws unknown why they could not be read */
async function currentSettings(): Promise<WifiSettings> {
  await storedConfig.refresh();
  if (storedConfig.error.value !== undefined) throw storedConfig.error.value;
  return wifiSettingsIn(storedConfig.value.value);
}

async function changeNetworks(
  change: (networks: readonly StoredNetwork[]) => StoredNetwork[],
): Promise<void> {
  const { networks } = await currentSettings();
  await storeConfig({ wifi: { networks: change(networks) } });
}

/** Switches Wi-Fi on, in a country whose rules it keeps. */
export async function switchOn(country: string): Promise<void> {
  await storeConfig({ wifi: { enabled: true, country } });
  await until(() => statusNow()?.country === country, RESULT_MS);
}

export async function switchOff(): Promise<void> {
  await storeConfig({ wifi: { enabled: false } });
  await until(() => wifi.value.value?.kind === 'off', RESULT_MS);
}

export async function setCountry(country: string): Promise<void> {
  await storeConfig({ wifi: { country } });
  await until(() => statusNow()?.country === country, RESULT_MS);
}

/** Looks for networks. */
export async function scan(): Promise<ScannedNetwork[]> {
  return await asked(connection.client.post('/wifi/scan', { timeoutMs: SCAN_MS }));
}

/** Stores a network without joining it, for one that is not in range now. */
export async function saveNetwork(network: Pick<StoredNetwork, 'ssid' | 'psk'>): Promise<void> {
  await changeNetworks((networks) => withNetwork(networks, network));
}

/**
 * Joins a network. If that fails, the stored networks are as before.
 * @param psk undefined for a network that is stored
 * @throws ActionError with the reason
 */
export async function joinNetwork(ssid: string, psk: string | undefined): Promise<void> {
  if (psk === undefined) return await connectTo(ssid);
  const { networks: before } = await currentSettings();
  await saveNetwork({ ssid, psk });
  try {
    await connectTo(ssid);
  } catch (error) {
    // The reason why it could not be joined matters more than one why it stays stored.
    await changeNetworks((networks) => withNetworkAsBefore(networks, before, ssid)).catch(() => undefined);
    throw error;
  }
}

async function connectTo(ssid: string): Promise<void> {
  await asked(connection.client.post('/wifi/connect', { json: { ssid }, timeoutMs: ANSWER_MS }));
  await wifi.refresh();
  await until(() => statusNow()?.connection?.ssid === ssid, RESULT_MS);
}

/** Removes a stored network; the device leaves it. */
export async function forgetNetwork(ssid: string): Promise<void> {
  await changeNetworks((networks) => networks.filter((one) => one.ssid !== ssid));
  await until(() => statusNow()?.connection?.ssid !== ssid, RESULT_MS);
}

/** Joins a network rather than the others that are in range. */
export async function preferNetwork(ssid: string): Promise<void> {
  await changeNetworks((networks) => withPreferred(networks, ssid));
}

/**
 * Starts the access point with these settings, which are stored.
 * @param stays whether it also starts with the device
 */
export async function startAccessPoint(ap: AccessPointSettings, stays: boolean): Promise<void> {
  const { ap: before, mode } = await currentSettings();
  // The stored channel is one of the other band.
  const channel = before.band === ap.band ? {} : { channel: 0 };
  await storeConfig({ wifi: { ap: { ...ap, ...channel } } });
  await asked(connection.client.post('/wifi/ap', { json: { active: true }, timeoutMs: ANSWER_MS }));
  const wanted = stays ? 'ap' : 'station';
  if (mode !== wanted) await storeConfig({ wifi: { mode: wanted } });
  await wifi.refresh();
  await until(() => {
    const active = statusNow()?.access_point;
    return active !== null && active !== undefined && (ap.ssid === null || active.ssid === ap.ssid);
  }, RESULT_MS);
}

/** Stops the access point, also for the next start of the device. */
export async function stopAccessPoint(): Promise<void> {
  const { mode } = await currentSettings();
  await asked(connection.client.post('/wifi/ap', { json: { active: false }, timeoutMs: ANSWER_MS }));
  if (mode === 'ap') await storeConfig({ wifi: { mode: 'station' } });
  await wifi.refresh();
  await until(() => statusNow()?.access_point === null, RESULT_MS);
}

/** An answer of the radio. @throws ActionError with its reason in words */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const reason = error.details?.reason;
    if (isFailureCode(reason)) throw new ActionError(failureText(reason));
    if (error.code === 'conflict') throw new ActionError(t('wifi.conflict'));
    throw error;
  }
}
