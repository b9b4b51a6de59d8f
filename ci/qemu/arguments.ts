import type { Credential } from '../lib/virtual-device.ts';
import type { Acceleration } from './acceleration.ts';
import type { Qemu } from './program.ts';

/** A virtio serial port of the machine and the unix socket that it is connected to. */
export interface Port {
  /** As the guest sees it: `/dev/virtio-ports/<name>`. */
  name: string;
  socket: string;
}

/** The settings of the machine that may differ between starts. */
export interface MachineSettings {
  qemu: Qemu;
  acceleration: Acceleration;
  /** U-Boot's ROM. */
  firmware: string;
  /** The machine's disk: a qcow2 file, or an NBD server on a unix socket. */
  disk: string | { nbd: string };
  /** `unsafe` ignores flushes: faster, and data is lost only if the host itself crashes. */
  diskCache: 'unsafe' | 'writeback';
  console: string;
  /** QMP monitor sockets. Each serves one client at a time. */
  monitors: string[];
  ports: Port[];
  /** Port on 127.0.0.1 that is forwarded to the device's port 80. */
  apiPort: number;
  /** Port on 127.0.0.1 that is forwarded to the device's port 443. HTTPS needs an uploaded certificate. */
  httpsPort: number;
  /** A window, VNC on the first free display on 127.0.0.1, or no graphics. */
  screen: 'window' | 'vnc' | 'none';
  /** WAV file that gets everything that the sound card plays; without it, the sound is discarded. */
  soundFile?: string;
  /** The device's serial number, which it reads from the firmware configuration. */
  serialNumber: string;
  /** systemd system credentials by name, with the files that contain them. */
  credentials?: Credential[];
  memoryMb?: number;
  cpus?: number;
  /** Start paused and wait for the state of a saved machine: see snapshot.ts. */
  incoming?: boolean;
}

/** The address of this computer as seen from the device: the gateway of QEMU's user network. */
export const HOST_ADDRESS = '10.0.2.2';

/** Maximum length of a name in QEMU's firmware configuration. */
const FW_CFG_NAME_LIMIT = 55;

/** Doubles commas: in QEMU's arguments a single comma ends a value. */
function quoted(value: string): string {
  return value.replaceAll(',', ',,');
}

/** Graphics card, touch input and keyboard. */
const SCREEN_AND_INPUT = [
  ...['-device', 'virtio-vga,id=screen,xres=1280,yres=720'],
  ...['-device', 'virtio-tablet-pci', '-device', 'virtio-keyboard-pci'],
];

const SCREENS: Record<MachineSettings['screen'], string[]> = {
  window: [...SCREEN_AND_INPUT, '-display', 'gtk,show-cursor=on'],
  vnc: [...SCREEN_AND_INPUT, '-display', 'none', '-vnc', '127.0.0.1:0,to=200'],
  none: ['-display', 'none'],
};

function diskBackend(disk: MachineSettings['disk']): string {
  if (typeof disk === 'string') return `format=qcow2,discard=unmap,file=${quoted(disk)}`;
  return `format=raw,file.driver=nbd,file.server.type=unix,file.server.path=${quoted(disk.nbd)}`;
}

/** QEMU's arguments for the machine of the board virt. The only definition of this machine. */
export function qemuArguments(settings: MachineSettings): string[] {
  const { acceleration, ports, monitors, credentials = [], memoryMb = 1024 } = settings;
  return [
    '-nodefaults',
    '-no-user-config',
    // U-Boot can power off and reset a "pc", but not a "q35".
    ...['-M', 'pc,usb=off,vmport=off'],
    ...acceleration.args,
    ...['-smp', String(settings.cpus ?? 2), '-m', String(memoryMb)],
    ...(settings.incoming ? ['-incoming', 'defer'] : []),
    ...['-bios', settings.firmware],
    ...['-rtc', 'base=utc,clock=host'],
    ...['-drive', `if=none,id=disk,cache=${settings.diskCache},${diskBackend(settings.disk)}`],
    ...['-device', 'virtio-blk-pci,drive=disk,serial=vitrine'],
    ...SCREENS[settings.screen],
    ...[
      '-audiodev',
      settings.soundFile ? `wav,id=sound,path=${quoted(settings.soundFile)}` : 'none,id=sound',
    ],
    ...['-device', 'intel-hda', '-device', 'hda-output,audiodev=sound'],
    ...['-device', 'virtio-rng-pci'],
    ...['-netdev', ['user,id=cable', forward(settings.apiPort, 80), forward(settings.httpsPort, 443)].join()],
    ...['-device', 'virtio-net-pci,netdev=cable,mac=52:54:00:76:69:74,romfile='],
    // The boot script expects it at this address (BOOT_WATCHDOG of board/virt/board.env).
    ...['-device', 'i6300esb,addr=1e', '-action', 'watchdog=reset'],
    ...['-device', 'virtio-serial-pci,id=ports,max_ports=8'],
    ...ports.flatMap(({ name, socket }, index) => [
      '-chardev',
      `socket,id=port${index},server=on,wait=off,path=${quoted(socket)}`,
      '-device',
      `virtserialport,bus=ports.0,nr=${index + 1},chardev=port${index},name=${name}`,
    ]),
    ...['-chardev', `file,id=console,path=${quoted(settings.console)}`, '-serial', 'chardev:console'],
    ...monitors.flatMap((path) => ['-qmp', `unix:${quoted(path)},server=on,wait=off`]),
    ...['-fw_cfg', `name=opt/vitrine/serial,string=${quoted(settings.serialNumber)}`],
    ...credentials.flatMap(({ name, file }) => [
      '-fw_cfg',
      `name=${credentialName(name)},file=${quoted(file)}`,
    ]),
  ];
}

function forward(port: number, devicePort: number): string {
  return `hostfwd=tcp:127.0.0.1:${port}-:${devicePort}`;
}

function credentialName(name: string): string {
  const full = `opt/io.systemd.credentials/${name}`;
  if (full.length > FW_CFG_NAME_LIMIT) {
    throw new Error(
      `the credential name ${name} is ${full.length - FW_CFG_NAME_LIMIT} characters too long for QEMU`,
    );
  }
  return full;
}
