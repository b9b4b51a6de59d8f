import { join } from 'node:path';
import type { Logger } from '../../base/logger.ts';
import type { Kind, PeripheralIo } from '../../resources/peripherals/ports.ts';
import type { Systemd } from '../systemd.ts';
import { PeripheralProgram } from './io-program.ts';

export interface PeripheralProgramsOptions {
  /** Folder of the programs' sockets. */
  runtimeFolder: string;
  systemd: Pick<Systemd, 'start' | 'stop'>;
  log: Logger;
}

/** The programs that drive the appliance's peripherals, by kind. None of them runs before something is opened. */
export function peripheralPrograms({
  runtimeFolder,
  systemd,
  log,
}: PeripheralProgramsOptions): Readonly<Record<Kind, PeripheralIo>> {
  const program = (kind: Kind) => {
    const unit = `vitrine-peripheral@${kind}.service`;
    return new PeripheralProgram({
      kind,
      path: join(runtimeFolder, `peripheral-${kind}.sock`),
      group: `peripheral-${kind}`,
      service: { start: () => systemd.start(unit), stop: () => systemd.stop(unit) },
      log,
    });
  };
  return { hid: program('hid'), serial: program('serial'), usb: program('usb') };
}
