import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { errorCode, errorMessage } from '../../base/system-error.ts';

/** A device appears as several nodes, one after the other. They are reported this long after the first, in ms. */
const SETTLE_MS = 100;
/** How long udev may take to set the owners of nodes, in ms. */
const UDEV_MS = 5000;
/** More than a computer has buses. */
const MAX_BUSES = 64;
/** Nodes of HID devices and serial ports, and the folder of USB devices. Others are not of interest. */
const NODES = /^(?:hidraw\d+|tty[A-Z]+\d+|bus)$/;

/**
 * Watches the nodes of HID devices, serial ports and USB devices: `/dev` and `/dev/bus/usb`, which the kernel fills.
 * `listener` is called when udev is done with them, so that programs that are not root can open them; without udev, soon.
 * @param root prefix of all system paths
 * @returns stops it
 */
export function watchDeviceNodes(root: string, log: Logger, listener: () => void): () => void {
  const dev = join(root, 'dev');
  const usb = join(dev, 'bus/usb');
  const udev = join(root, 'run/udev');
  /** Exists while udev handles events. */
  const queue = join(udev, 'queue');
  let watchers: FSWatcher[] = [];
  let settling: NodeJS.Timeout | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let hasWarned = false;

  const warn = (folder: string, error: unknown) => {
    if (!hasWarned) log.warn({ folder, reason: errorMessage(error) }, 'peripherals are not watched');
    hasWarned = true;
  };
  const add = (folder: string, isRelevant: (name: string) => boolean) => {
    try {
      // The event `change` is that of every write to a device.
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (event === 'rename' && (name === null || isRelevant(name))) changed();
      });
      watcher.on('error', (error) => warn(folder, error));
      watchers.push(watcher);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') warn(folder, error);
    }
  };
  const stop = () => {
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  /** All from the beginning, as folders come and go. What happens meanwhile is in the list that the listener reads. */
  const start = () => {
    stop();
    add(dev, (name) => NODES.test(name));
    add(udev, (name) => name === 'queue');
    for (const folder of [join(dev, 'bus'), usb, ...busFolders(usb)]) add(folder, () => true);
  };
  const report = () => {
    clearTimeout(waiting);
    waiting = undefined;
    start();
    listener();
  };
  const changed = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      if (!existsSync(queue)) report();
      // Its removal is a change.
      else waiting ??= setTimeout(report, UDEV_MS);
    }, SETTLE_MS);
  };

  start();
  return () => {
    clearTimeout(settling);
    clearTimeout(waiting);
    stop();
  };
}

function busFolders(usb: string): string[] {
  try {
    const names = readdirSync(usb).filter((name) => /^\d{3}$/.test(name));
    return names.slice(0, MAX_BUSES).map((name) => join(usb, name));
  } catch {
    return [];
  }
}
