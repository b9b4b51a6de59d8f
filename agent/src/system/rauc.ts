import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../base/timeout.ts';
import type {
  BootSlots,
  BundleInstaller,
  SlotFacts,
  SlotName,
  SlotReport,
} from '../resources/update/ports.ts';
import type { SystemBus } from './dbus/bus.ts';
import { anything, BusError, type BusValue, integer, listOf, recordOf, shaped, text } from './dbus/values.ts';

const NAME = 'de.pengutronix.rauc';
const OBJECT = { destination: NAME, path: '/' };
const INTERFACE = 'de.pengutronix.rauc.Installer';
// RAUC reads the state of the slots and the boot loader's environment from disk.
const INSTALLER = { ...OBJECT, interface: INTERFACE, timeoutMs: 120_000 };
const PROPERTIES = 'org.freedesktop.DBus.Properties';
/** Name and properties of each slot, `a(sa{sv})`. */
const parseSlots = shaped(listOf(listOf(anything)));
const parseProperties = shaped(recordOf(anything));
/** Besides RAUC's signals, in case that one is lost, in ms. */
const POLL_MS = 5000;
/** How long RAUC may not answer while it installs, in ms; its main loop does not wait for the installation. */
const SILENT_MS = 60_000;
/** Longest installation, in ms: a slow disk, or a slow network. */
const INSTALL_MS = 6 * 3_600_000;

/**
 * How long RAUC may begin an installation after a call without an answer, in ms. With an answer it is never idle before
 * the installation has ended: its operation changes before the answer is sent (src/service.c).
 */
const LATE_MS = 60_000;

/** Errors of calls that may have been carried out. */
const UNANSWERED = ['vitrine.Timeout', 'vitrine.Disconnected'];

/** Reads the versions of the slots: the agent itself has no access to disks. */
export const VERSIONS_UNIT = 'vitrine-slot-versions.service';
const VERSIONS_FILE = 'slot-versions';

export interface RaucOptions {
  /** Whether this system boots from slots (kernel argument `rauc.slot`). */
  installed: boolean;
  /** Folder where VERSIONS_UNIT leaves its result. */
  runtimeFolder: string;
  /** Runs a oneshot service to its end. */
  runService: (unit: string) => Promise<void>;
}

/** The boot slots as RAUC reports them. */
export function raucSlots(dbus: SystemBus, options: RaucOptions): BootSlots {
  const mark = async (...words: readonly [state: string, slot: string]) => {
    const args = words.map((word): BusValue => ['s', word]);
    await dbus.call({ ...INSTALLER, member: 'Mark', args });
  };
  return {
    async read() {
      if (!options.installed) return undefined;
      return reportOf(parseSlots(await dbus.call({ ...INSTALLER, member: 'GetSlotStatus' }))[0]);
    },
    markGood: () => mark('good', 'booted'),
    activate: (slot) => mark('active', slot),
    async versions() {
      await options.runService(VERSIONS_UNIT);
      return versionsOf(await readFile(join(options.runtimeFolder, VERSIONS_FILE), 'utf8'));
    },
  };
}

/** RAUC's installations. */
export function raucInstaller(dbus: Pick<SystemBus, 'call' | 'subscribe'>): BundleInstaller {
  /** When `begin` ended without an answer, until RAUC was seen to install. */
  let unanswered: number | undefined;
  return {
    async compatible() {
      const { Compatible: name } = await installerProperties(dbus);
      return text(name) ? name : '';
    },
    async begin({ source, transaction, allowDowngrade, headers, tlsCa }) {
      const access: Record<string, BusValue> = {
        ...(headers ? { 'http-headers': ['as', headers] } : {}),
        ...(tlsCa === undefined ? {} : { 'tls-ca': ['s', tlsCa] }),
      };
      const options: Record<string, BusValue> = {
        'transaction-id': ['s', transaction],
        'ignore-version-limit': ['b', allowDowngrade],
        ...access,
      };
      const args: BusValue[] = [
        ['s', source],
        ['a{sv}', options],
      ];
      unanswered = undefined;
      await dbus.call({ ...INSTALLER, member: 'InstallBundle', args }).catch((error: unknown) => {
        // The call may have arrived, or arrive yet; `untilIdle` and the slot say what came of it.
        if (!(error instanceof BusError && UNANSWERED.includes(error.errorName))) throw error;
        unanswered = performance.now();
      });
    },
    async untilIdle(progress, signal) {
      let wake = new AbortController();
      const signals = ['Completed', 'PropertiesChanged'].map((member) => {
        const sender = member === 'Completed' ? INTERFACE : PROPERTIES;
        return dbus.subscribe({ sender: NAME, interface: sender, member }, () => wake.abort());
      });
      const deadline = performance.now() + INSTALL_MS;
      let lastAnswer = performance.now();
      try {
        for (;;) {
          signal.throwIfAborted();
          wake = new AbortController();
          try {
            const state = await installerState(dbus);
            lastAnswer = performance.now();
            if (state.operation !== 'idle') {
              unanswered = undefined;
              progress(state.fraction);
            } else if (unanswered === undefined) return state.lastError;
            // The last error is that of an earlier installation.
            else if (performance.now() - unanswered > LATE_MS) return '';
          } catch (error) {
            if (performance.now() - lastAnswer > SILENT_MS) throw error;
          }
          if (performance.now() > deadline) throw new Error('the installation does not end');
          await sleep(POLL_MS, AbortSignal.any([signal, wake.signal]));
        }
      } finally {
        for (const unsubscribe of signals) unsubscribe();
      }
    },
  };
}

async function installerProperties(dbus: Pick<SystemBus, 'call'>): Promise<Record<string, unknown>> {
  const args = [['s', INTERFACE]] as const;
  const reply = await dbus.call({ ...OBJECT, interface: PROPERTIES, member: 'GetAll', args });
  return parseProperties(reply)[0];
}

async function installerState(dbus: Pick<SystemBus, 'call'>) {
  const properties = await installerProperties(dbus);
  const { Operation: operation, LastError: lastError, Progress: progress } = properties;
  const percentage: unknown = Array.isArray(progress) ? progress[0] : undefined;
  return {
    operation,
    lastError: text(lastError) ? lastError : '',
    fraction: integer(percentage) ? percentage / 100 : 0,
  };
}

/**
 * Reads the slots. With U-Boot, `boot-status` is bad for a slot that is not in the boot order or has no attempts left.
 * @throws Error when no slot is booted, or one is missing
 */
export function reportOf(slots: readonly (readonly unknown[])[]): SlotReport {
  let booted: SlotName | undefined;
  const facts: Partial<Record<SlotName, SlotFacts>> = {};
  for (const [, properties] of slots) {
    const fields: Record<string, unknown> = Object(properties);
    const name = fields.bootname === 'A' ? 'a' : fields.bootname === 'B' ? 'b' : undefined;
    if (!name) continue;
    if (fields.state === 'booted') booted = name;
    const installations = fields['installed.count'];
    const activations = fields['activated.count'];
    const version = fields['bundle.version'];
    facts[name] = {
      bootable: fields['boot-status'] === 'good',
      content: fields.status === undefined ? 'unknown' : fields.status === 'ok' ? 'complete' : 'incomplete',
      version: text(version) ? version : null,
      installations: integer(installations) ? installations : 0,
      activations: integer(activations) ? activations : 0,
    };
  }
  const { a, b } = facts;
  if (!booted || !a || !b) throw new Error('RAUC reports no booted slot');
  return { booted, slots: { a, b } };
}

/** Parses the lines `SLOT VERSION`; a slot whose version cannot be read has none. */
export function versionsOf(lines: string): Record<SlotName, string | null> {
  const of = (slot: SlotName) => new RegExp(`^${slot} ([\\w.+-]{1,64})$`, 'm').exec(lines)?.[1] ?? null;
  return { a: of('a'), b: of('b') };
}
