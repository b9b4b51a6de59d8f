import type { PageDevice } from './page-protocol.ts';
import { hidForPage } from './policy.ts';
import type { Peripheral } from './ports.ts';

/** Unset in the page: a serial port without USB ids is never reachable, so these are of no peripheral. */
const NO_ID = 0;

/** What a page learns of a peripheral that it may open. @param device the page's number for it */
export function pageDevice(peripheral: Peripheral, device: number): PageDevice {
  const { kind, vendorId, productId } = peripheral;
  if (kind === 'serial') {
    return {
      kind,
      device,
      ...(vendorId === null ? {} : { usbVendorId: vendorId }),
      ...(productId === null ? {} : { usbProductId: productId }),
    };
  }
  const ids = { device, vendorId: vendorId ?? NO_ID, productId: productId ?? NO_ID };
  if (kind === 'hid') {
    const { collections } = hidForPage(peripheral);
    return { kind, ...ids, productName: peripheral.product ?? '', collections };
  }
  const { usbVersion, deviceVersion, classCode, subclass, protocol } = peripheral;
  const { configuration, configurations } = peripheral;
  return {
    kind,
    ...ids,
    ...{ usbVersion, deviceVersion, classCode, subclass, protocol, configuration, configurations },
    manufacturerName: peripheral.manufacturer,
    productName: peripheral.product,
    serialNumber: peripheral.serialNumber,
  };
}
