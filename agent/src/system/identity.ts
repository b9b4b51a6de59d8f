import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../resources/device/ports.ts';

/** Application ID for identifiers derived from the machine-id; never change it. */
const APPLICATION_ID = Buffer.from('0c1f54c1b5a94d0b8ac8d2f3b79bd0ae', 'hex');
/** Serial of a machine without any identifier. */
export const NO_SERIAL = 'unknown';
const HARDWARE_SERIALS = ['/proc/device-tree/serial-number', '/sys/class/dmi/id/product_serial'];
/** Exists in every QEMU guest, also without SMBIOS. */
const QEMU_FIRMWARE = '/sys/firmware/qemu_fw_cfg/rev';
const MODELS = ['/proc/device-tree/model', '/sys/class/dmi/id/product_name'];

export interface IdentityOptions {
  /** Folder where `read-serial` stores the hardware's serial. */
  runtimeFolder: string;
  /** The package's version, used without /etc/vitrine/version. */
  packageVersion: string;
  /** Prefix of all system paths, for tests. */
  root?: string;
}

/**
 * Reads the system's identity. The serial is never invented: it comes from `vitrine-serial.service`, else from the
 * hardware, else it is derived from /etc/machine-id as sd_id128_get_machine_app_specific(3) does, which keeps the
 * machine-id itself secret.
 */
export async function readIdentity(options: IdentityOptions): Promise<Identity> {
  const { runtimeFolder, packageVersion, root = '/' } = options;
  const first = async (paths: readonly string[]) => {
    for (const path of paths) {
      const text = await readText(join(root, path));
      if (text) return text;
    }
    return undefined;
  };
  const written = await readText(join(runtimeFolder, 'serial'));
  const hardware = (await Promise.all(HARDWARE_SERIALS.map((path) => readText(join(root, path))))).find(
    isSerial,
  );
  return {
    serial: written ?? hardware ?? (await installationId(root)) ?? NO_SERIAL,
    model: (await first(MODELS)) ?? ((await readText(join(root, QEMU_FIRMWARE))) ? 'QEMU' : 'unknown'),
    version: (await first(['/etc/vitrine/version'])) ?? packageVersion,
    slot: slotOf((await readText(join(root, '/proc/cmdline'))) ?? ''),
  };
}

/** The slot that the boot script has chosen; `a` on a system without slots. */
export function slotOf(kernelArguments: string): 'a' | 'b' {
  return /(?:^|\s)rauc\.slot=B(?:\s|$)/.test(kernelArguments) ? 'b' : 'a';
}

/** A small file's text without NULs and surrounding space; undefined when missing or empty. */
async function readText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.replaceAll('\0', '').trim() || undefined;
}

/** Whether a text from the firmware is a serial: the rule of overlay/usr/lib/vitrine/read-serial. */
function isSerial(text: string | undefined): text is string {
  if (!text || !/^[0-9A-Za-z._:+/-]{1,64}$/.test(text)) return false;
  return !/^(?:none|unknown|default|n\/a|na|0|oem|invalid|[0.:-]+)$/i.test(text);
}

async function installationId(root: string): Promise<string | undefined> {
  const machineId = await readText(join(root, '/etc/machine-id'));
  if (!machineId || !/^[0-9a-f]{32}$/.test(machineId)) return undefined;
  const id = createHmac('sha256', Buffer.from(machineId, 'hex')).update(APPLICATION_ID).digest();
  // Version 4 UUID, as systemd does.
  id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x40, 6);
  id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
  return id.toString('hex', 0, 16);
}
