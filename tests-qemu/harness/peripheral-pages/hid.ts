/** A page for a HID device that gives output reports back, written from the standard only (https://wicg.github.io/webhid/). */
import { bytesOf, expose, hexOf, present } from './tools.ts';

const MOST_EVENTS = 100;
const events: string[] = [];
let device: HIDDevice | undefined;

if ('hid' in navigator) {
  for (const type of ['connect', 'disconnect'] as const) {
    navigator.hid.addEventListener(type, (event) => events.push(`${type} ${event.device.productName}`));
  }
}

async function echo(reportId: number, hex: string): Promise<unknown> {
  const opened = present(device, 'device');
  const report = new Promise<HIDInputReportEvent>((resolve) => {
    opened.addEventListener('inputreport', resolve, { once: true });
  });
  await opened.sendReport(reportId, bytesOf(hex));
  const { reportId: id, data } = await report;
  return { id, data: hexOf(data) };
}

/** Echoes after each other in groups. @returns of each group the time of one echo, in ms */
async function echoTimes(groups: number, ofEach: number, hex: string): Promise<number[]> {
  const times: number[] = [];
  for (let group = 0; group < groups; group += 1) {
    const begun = performance.now();
    for (let n = 0; n < ofEach; n += 1) await echo(0, hex);
    times.push((performance.now() - begun) / ofEach);
  }
  return times;
}

expose(
  {
    /** null: pages have no such interface. */
    found: async () => {
      if (!('hid' in navigator)) return null;
      return (await navigator.hid.getDevices()).map(({ vendorId, productId, productName, collections }) => ({
        ...{ vendorId, productId, productName },
        collections: collections.map(({ usagePage, usage }) => [usagePage, usage]),
      }));
    },
    requested: async (filters: HIDDeviceFilter[]) =>
      (await navigator.hid.requestDevice({ filters })).map(({ productName }) => productName),
    open: async () => {
      [device] = await navigator.hid.getDevices();
      const found = present(device, 'device');
      found.addEventListener('inputreport', ({ reportId }) => {
        if (events.length < MOST_EVENTS) events.push(`report ${reportId}`);
      });
      await found.open();
      return found.opened;
    },
    isOpen: async () => device?.opened ?? false,
    close: async () => await device?.close(),
    echo,
    echoTimes,
    /** Sends reports until one fails. */
    sendForever: async () => {
      for (;;) await present(device, 'device').sendReport(0, bytesOf('0102030405060708'));
    },
    feature: async (reportId: number) =>
      hexOf(await present(device, 'device').receiveFeatureReport(reportId)),
    sendFeature: async (reportId: number, hex: string) =>
      await present(device, 'device').sendFeatureReport(reportId, bytesOf(hex)),
    send: async (reportId: number, hex: string) =>
      await present(device, 'device').sendReport(reportId, bytesOf(hex)),
    shape: async () =>
      device?.collections.map(({ inputReports, outputReports, featureReports }) =>
        [inputReports, outputReports, featureReports].map((reports) => reports?.map((each) => each.reportId)),
      ),
  },
  events,
);
