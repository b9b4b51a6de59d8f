import type { Acceleration } from './acceleration.ts';

/** One virtio port of the machine and the unix socket that is its other end. */
export interface Port {
  /** As the guest sees it: `/dev/virtio-ports/<name>`. */
  name: string;
  socket: string;
}

/** Everything about the machine that may differ from one start to the next. */
export interface MachineSettings {
  acceleration: Acceleration;
  /** U-Boot's ROM. */
  firmware: string;
  /** What takes the machine's writes: a qcow2 file, or an NBD server on a unix socket. */
  disk: string | { nbd: string };
  /** `unsafe` forgets about flushes: quicker, and only the host's own crash can tell. */
  diskCache: 'unsafe' | 'writeback';
  console: string;
  /** Monitor sockets: each takes one client at a time. */
  monitors: string[];
  ports: Port[];
  /** Port on 127.0.0.1 that leads to the device's port 80. */
  apiPort: number;
  /** Port on 127.0.0.1 that leads to the device's port 443, where HTTPS is once it has a certificate. */
  httpsPort: number;
  /** A window, VNC on the first free display of the loopback, or a machine without graphics. */
  screen: 'window' | 'vnc' | 'none';
  /** The device's serial number, which the firmware tells it. */
  serialNumber: string;
  /** systemd system credentials by name, handed over as files. */
  credentials?: { name: string; file: string }[];
  memoryMb?: number;
  cpus?: number;
  /** Waits for the state of a saved machine instead of powering on: see snapshot.ts. */
  incoming?: boolean;
}

/** How a page on the device reaches this computer: the gateway of QEMU's user network. */
export const HOST_ADDRESS = '10.0.2.2';

/** The longest name that QEMU's firmware configuration carries. */
const FW_CFG_NAME_LIMIT = 55;

/** QEMU reads a comma as the end of a value unless it is doubled. */
function quoted(value: string): string {
  return value.replaceAll(',', ',,');
}

/** What a viewer sees and touches. */
const TOUCHED_SCREEN = [
  ...['-device', 'virtio-vga,id=screen,xres=1280,yres=720'],
  ...['-device', 'virtio-tablet-pci', '-device', 'virtio-keyboard-pci'],
];

const SCREENS: Record<MachineSettings['screen'], string[]> = {
  window: [...TOUCHED_SCREEN, '-display', 'gtk,show-cursor=on'],
  vnc: [...TOUCHED_SCREEN, '-display', 'none', '-vnc', '127.0.0.1:0,to=200'],
  none: ['-display', 'none'],
};

function diskBackend(disk: MachineSettings['disk']): string {
  if (typeof disk === 'string') return `format=qcow2,discard=unmap,file=${quoted(disk)}`;
  return `format=raw,file.driver=nbd,file.server.type=unix,file.server.path=${quoted(disk.nbd)}`;
}

/** The machine that every board image is made for on virt, as QEMU's arguments; the one place that says so. */
export function qemuArguments(settings: MachineSettings): string[] {
  const { acceleration, ports, monitors, credentials = [], memoryMb = 1024 } = settings;
  return [
    '-nodefaults',
    '-no-user-config',
    // U-Boot powers off and resets a "pc", not a "q35".
    ...['-M', 'pc,usb=off,vmport=off'],
    ...acceleration.args,
    ...['-smp', String(settings.cpus ?? 2), '-m', String(memoryMb)],
    ...(settings.incoming ? ['-incoming', 'defer'] : []),
    ...['-bios', settings.firmware],
    ...['-rtc', 'base=utc,clock=host'],
    ...['-drive', `if=none,id=disk,cache=${settings.diskCache},${diskBackend(settings.disk)}`],
    ...['-device', 'virtio-blk-pci,drive=disk,serial=vitrine'],
    ...SCREENS[settings.screen],
    ...['-device', 'virtio-rng-pci'],
    ...['-netdev', ['user,id=cable', forward(settings.apiPort, 80), forward(settings.httpsPort, 443)].join()],
    ...['-device', 'virtio-net-pci,netdev=cable,mac=52:54:00:76:69:74,romfile='],
    ...['-device', 'i6300esb', '-action', 'watchdog=reset'],
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
