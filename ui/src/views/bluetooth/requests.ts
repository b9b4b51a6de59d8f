/** What can be done with Bluetooth. Each ends when the device's state shows the result. */
import { until } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { isKnown } from './devices.ts';
import { pairingFailure } from './pairing-failure.ts';
import { bluetooth, working } from './state.ts';

/** The service starts or ends, and the adapter is set. */
const SWITCH_MS = 20_000;
const RESULT_MS = 15_000;
/** A device has 30 s to pair and 20 s to say what it offers; then it is connected, within 10 s. */
const PAIR_MS = 90_000;
/** A device that is connected by the answer to a request says so at once. */
const CONNECT_MS = 5000;

const { client } = connection;

/** @throws ActionError with the reason if it does not work after it was enabled */
export async function enable(enabled: boolean): Promise<void> {
  const { applied } = await client.patch('/config', { json: { bluetooth: { enabled } } });
  await bluetooth.refresh();
  const isApplied = applied['bluetooth.enabled'] === 'live';
  await until(() => {
    const state = bluetooth.value.value;
    if (!enabled) return state?.kind === 'disabled';
    if (state?.kind === 'unavailable' && !isApplied)
      throw new ActionError(t('bluetooth.not_started'), state.reason);
    return state?.kind === 'working';
  }, SWITCH_MS);
}

export async function setDiscoverable(discoverable: boolean): Promise<void> {
  await client.patch('/config', { json: { bluetooth: { discoverable } } });
  await until(() => working()?.adapter.discoverable === discoverable, SWITCH_MS);
}

export async function power(powered: boolean): Promise<void> {
  await client.post('/bluetooth/power', { json: { powered } });
  await until(() => working()?.adapter.powered === powered, RESULT_MS);
}

export async function scan(active: boolean): Promise<void> {
  await client.post('/bluetooth/scan', { json: { active } });
  await until(() => working()?.adapter.discovering === active, RESULT_MS);
}

/** Pairs with a device, or trusts one that has paired by itself. */
export async function pair(address: string): Promise<void> {
  const paired = await requestPairing(address);
  await until(() => {
    const device = working()?.devices.find((one) => one.address === paired);
    return device?.paired === true && device.trusted;
  }, RESULT_MS);
}

/** Connects a paired device. */
export async function connect(address: string): Promise<void> {
  const paired = await requestPairing(address);
  const isConnected = () => working()?.devices.find((one) => one.address === paired)?.connected === true;
  await until(isConnected, CONNECT_MS).catch(() => {
    throw new ActionError(t('bluetooth.not_connected'));
  });
}

export async function forget(address: string): Promise<void> {
  await client.post('/bluetooth/remove', { json: { address } });
  // It may be found again at once.
  await until(() => {
    const state = working();
    return state !== undefined && !state.devices.some((one) => one.address === address && isKnown(one));
  }, RESULT_MS);
}

/** The device may have another address when it is paired. @returns that address */
async function requestPairing(address: string): Promise<string> {
  try {
    const options = { json: { address }, timeoutMs: PAIR_MS };
    return (await client.post('/bluetooth/pair', options)).address;
  } catch (error) {
    throw pairingFailure(error);
  }
}
