/** The adapters between the agent and the system that it runs on, chosen by what the board is. */
import { join } from 'node:path';
import { SHARED_NAME } from './base/cable.ts';
import type { Logger } from './base/logger.ts';
import { ApiError } from './contract/errors.ts';
import type { Flags } from './flags.ts';
import { plainServer } from './links/http.ts';
import { HttpsLink } from './links/https.ts';
import type { resources } from './resources/all.ts';
import type { Power } from './resources/device/ports.ts';
import type { Kiosk } from './resources/display/ports.ts';
import type { PortsOf } from './resources/resource.ts';
import { BrowserFolder, fullnessProblems } from './system/browser/data.ts';
import { groupMemory } from './system/browser/memory.ts';
import { BrowserSocket } from './system/browser/socket.ts';
import { clockIsSet, scheduleMemory } from './system/clock.ts';
import { dataPartitionProblems, initramfsDataReset, proveLasting } from './system/data-partition.ts';
import { SystemBus } from './system/dbus/bus.ts';
import { ResolvedAnnouncer } from './system/discovery/resolved.ts';
import { MdnsSharedName } from './system/discovery/shared-name.ts';
import { Firewall } from './system/firewall.ts';
import { linuxHardware } from './system/hardware.ts';
import { readIdentity } from './system/identity.ts';
import { LinuxInputDevices, touchRotation } from './system/input-devices.ts';
import { systemdJournal } from './system/journal.ts';
import { KeyboardLayoutFile } from './system/keyboard-layout.ts';
import { linuxNetwork } from './system/network.ts';
import { ReaderProgramSocket } from './system/nfc/reader-program.ts';
import { SysfsInventory } from './system/peripherals/inventory.ts';
import { peripheralPrograms } from './system/peripherals/programs.ts';
import { systemPower } from './system/power.ts';
import { PulseSoundServer } from './system/pulse-sound-server.ts';
import { BluezRadio } from './system/radios/bluez.ts';
import { Supplicant } from './system/radios/supplicant.ts';
import { raucInstaller, raucSlots } from './system/rauc.ts';
import { CecTelevision } from './system/screen/cec.ts';
import { WaylandCompositor } from './system/screen/compositor.ts';
import { Drm } from './system/screen/drm.ts';
import { WaylandInput } from './system/screen/wayland-input.ts';
import { isInstalled, Systemd } from './system/systemd.ts';
import { bootId, TargetFile } from './system/target-file.ts';
import { TimeZoneLink } from './system/time-zone.ts';
import { timesyncd } from './system/timesyncd.ts';
import { NodeTrust } from './system/trust.ts';
import { linuxVitals } from './system/vitals.ts';
import { WriteTrial } from './system/write-trial.ts';

/** What the resources need of the system. */
export type Ports = PortsOf<typeof resources>;

/** Also the adapters that the composition root itself starts and stops. */
export interface Adapters extends Ports {
  browser: BrowserSocket;
  https: HttpsLink;
  dbus: SystemBus;
}

const KIOSK = 'vitrine-kiosk.service';
const NFC_READER = 'vitrine-nfc.service';
/** A computer that is not the appliance has no kiosk unit, though it may have a browser that connects. */
const NO_KIOSK: Kiosk = { installed: false, restart: async () => undefined };

/** A computer that is not the appliance is not the agent's to turn off. */
const NO_POWER: Power = {
  check: async () => {
    throw new ApiError('unavailable', 'This computer is not the appliance itself.');
  },
  perform: async () => undefined,
};

/** Creates all adapters; starts none of them. */
export async function createAdapters(
  { board, listenHttps }: Flags,
  packageVersion: string,
  log: Logger,
  agentFailures: Ports['agentFailures'],
): Promise<Adapters> {
  const { dataFolder, runtimeFolder, ownsSystem } = board;
  const browserFolder = join(dataFolder, 'kiosk');
  const dbus = new SystemBus({ log });
  const systemd = new Systemd(dbus, log);
  const runService = (name: string) => systemd.runService(name);
  const boot = await bootId();
  const inputDevices = new LinuxInputDevices({ log });
  const writeTrial = new WriteTrial(dataFolder);
  const dataProblems = ownsSystem ? await dataPartitionProblems(runtimeFolder) : [];
  const firewall = new Firewall(join(runtimeFolder, 'firewall'), () =>
    systemd.reload('vitrine-firewall.service'),
  );
  const allowStations = (name: string | undefined) => firewall.allowStations(name);
  return {
    dbus,
    browser: new BrowserSocket(join(runtimeFolder, 'browser.sock'), log),
    compositor: new WaylandCompositor(),
    kiosk:
      ownsSystem && isInstalled(KIOSK)
        ? { installed: true, restart: () => systemd.restart(KIOSK) }
        : NO_KIOSK,
    browserMemory: groupMemory,
    browserData: ownsSystem ? new BrowserFolder(browserFolder) : undefined,
    connectors: new Drm(board.screens),
    television: ownsSystem ? new CecTelevision() : undefined,
    scheduleMemory: scheduleMemory(runtimeFolder, boot),
    clockIsSet,
    bootId: boot,
    targetStore: new TargetFile(runtimeFolder, dataFolder, boot, log),
    hostServices: ownsSystem
      ? {
          allow: (allowed) => firewall.allowHostServices(allowed),
          problems: () => firewall.problems(),
        }
      : undefined,
    inputKinds: () => inputDevices.kinds(),
    inputDevices,
    keyboardLayout: ownsSystem
      ? new KeyboardLayoutFile(join(dataFolder, 'state/keyboard-layout'))
      : undefined,
    virtualInput: ownsSystem ? new WaylandInput() : undefined,
    turnTouches: ownsSystem ? touchRotation(runtimeFolder) : async () => undefined,
    soundServer: ownsSystem ? new PulseSoundServer({ log }) : undefined,
    networkSource: linuxNetwork({ dbus, log }),
    announcer: ownsSystem ? new ResolvedAnnouncer({ dbus, log }) : undefined,
    sharedName: ownsSystem ? new MdnsSharedName({ name: SHARED_NAME, log }) : undefined,
    wifiRadio: board.managesRadios ? new Supplicant({ dbus, systemd, allowStations, log }) : undefined,
    bluetoothRadio: board.managesRadios ? new BluezRadio({ bus: dbus, systemd, log }) : undefined,
    readerProgram:
      ownsSystem && isInstalled(NFC_READER)
        ? new ReaderProgramSocket(
            join(runtimeFolder, 'nfc.sock'),
            { start: () => systemd.start(NFC_READER), stop: () => systemd.stop(NFC_READER) },
            log,
          )
        : undefined,
    peripheralInventory: ownsSystem ? new SysfsInventory({ log }) : undefined,
    peripheralIo: ownsSystem ? peripheralPrograms({ runtimeFolder, systemd, log }) : undefined,
    createServer: plainServer,
    https: new HttpsLink({ addresses: listenHttps, log }),
    trust: new NodeTrust(),
    slots: raucSlots(dbus, { installed: ownsSystem, runtimeFolder, runService }),
    installer: raucInstaller(dbus),
    dataPartition: {
      check: () => proveLasting(dataFolder, runtimeFolder),
      refresh: () => writeTrial.refresh(),
      problems: () => [
        ...dataProblems,
        ...writeTrial.problems(),
        ...(ownsSystem ? fullnessProblems(dataFolder, browserFolder) : []),
      ],
    },
    systemBus: { problems: () => (ownsSystem ? dbus.problems() : []) },
    agentFailures,
    identity: await readIdentity({ runtimeFolder, packageVersion }),
    hardware: linuxHardware({ inputKinds: () => inputDevices.kinds() }),
    journal: systemdJournal({ log }),
    power: ownsSystem ? systemPower(dbus, systemd, log) : NO_POWER,
    dataReset: initramfsDataReset({ flag: board.factoryResetFlag, runtimeFolder, runService }),
    vitals: linuxVitals({ dataFolder }),
    clock: ownsSystem
      ? { zone: new TimeZoneLink(join(dataFolder, 'state/localtime')), servers: timesyncd(dbus) }
      : undefined,
  };
}
