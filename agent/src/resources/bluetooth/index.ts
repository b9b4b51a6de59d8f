import { bindGroup, bindNothing } from '../config/group.ts';
import { deviceConfig } from '../device/config.ts';
import { device } from '../device/index.ts';
import { display } from '../display/index.ts';
import { radioGate } from '../radio.ts';
import { defineResource } from '../resource.ts';
import { type Gate, type Route, serve } from '../route.ts';
import { Bluetooth } from './bluetooth.ts';
import { bluetoothConfig } from './config.ts';
import { showPairings } from './pairing-notice.ts';
import type { BluetoothRadio } from './ports.ts';
import * as contract from './schema.ts';

export interface BluetoothPorts {
  /** Undefined when the radios of this system do not belong to the device. */
  bluetoothRadio: BluetoothRadio | undefined;
}

/** Its service is undefined when the radios of this system do not belong to the device. */
export const bluetooth = defineResource({
  async create({ bus, config, log, use }, { bluetoothRadio: radio }: BluetoothPorts) {
    const system = await use(device);
    const { showNotice } = await use(display);
    const isEnabled = () => config.get(bluetoothConfig).enabled;
    const hasRadio = async () => (await radio?.isPresent()) ?? false;
    const gate = radioGate(contract, { hasRadio, isEnabled });
    if (!radio) {
      return {
        service: undefined,
        routes: bluetoothRoutes(undefined, gate),
        config: [bindNothing(bluetoothConfig)],
      };
    }
    const service = new Bluetooth({
      radio,
      settings: () => {
        const { enabled, name, discoverable } = config.get(bluetoothConfig);
        return { enabled, alias: name ?? config.get(deviceConfig).name, discoverable };
      },
      isOpen: async () => (await hasRadio()) && isEnabled(),
      emit: (json) => bus.emitJson(contract.bluetoothChanged, json),
      recovered: () => void config.applyStored('bluetooth.enabled'),
      log,
    });
    bus.provideState(contract.bluetoothChanged, async () => {
      await gate();
      return service.state();
    });
    // A failure is a problem of Bluetooth, not of `device.name`, and is tried again.
    const unlisten = system.onNameChanged(() => service.apply().catch(() => undefined));
    const endNotices = showPairings(service, showNotice);
    return {
      service,
      routes: bluetoothRoutes(service, gate),
      config: [bindGroup(bluetoothConfig, () => service.apply())],
      problems: () => service.problems(),
      // The screen and the links do not wait for it.
      ready: () => service.start(),
      stop: () => {
        unlisten();
        endNotices();
        service.stop();
      },
    };
  },
});

/** @param service undefined if the gate is always closed */
export function bluetoothRoutes(service: Bluetooth | undefined, gate: Gate): Route[] {
  const opened = () => {
    if (!service) throw new Error('the gate of Bluetooth is open without a radio');
    return service;
  };
  return [
    serve(contract.getBluetooth, () => opened().get(), gate),
    serve(contract.powerBluetooth, ({ body }) => opened().power(body.powered), gate),
    serve(contract.scanBluetooth, ({ body }) => opened().scan(body.active), gate),
    serve(contract.getBluetoothDevices, () => opened().devices(), gate),
    serve(contract.pairBluetooth, ({ body }) => opened().pair(body.address), gate),
    serve(contract.removeBluetooth, ({ body }) => opened().remove(body.address), gate),
  ];
}
