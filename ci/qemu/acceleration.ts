import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { writeFileAtomic } from '../../agent/src/base/atomic-file.ts';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { cacheFolder } from '../lib/places.ts';
import type { Qemu } from './program.ts';

/** How the machine's processor is run: by KVM or by emulation (TCG), as QEMU's arguments. */
export interface Acceleration {
  kind: 'kvm' | 'tcg';
  args: string[];
  /** Why this kind was chosen. */
  reason: string;
}

const PROBE_TIMEOUT_MS = 20_000;
/** The last message of a kernel without a root file system; with `panic=-1` and `-no-reboot` QEMU then ends. */
const REACHED_END = /Kernel panic - not syncing: VFS/;

/** QEMU reports an error of KVM in one of these lines, and then stops the machine without ending itself. */
const KVM_FAILED = /^(?:KVM internal error|KVM: entry failed|error: kvm run failed).*/m;

const KVM_ARGS = ['-accel', 'kvm', '-cpu', 'host'];
/**
 * A simple processor for TCG: emulating AVX takes longer than it saves, but SHA-256 by its own instructions takes half as
 * long. The buffer of translated code has QEMU's own size, at most 1 GiB: a machine fills two thirds of that in its first
 * minute, and would translate everything again whenever a smaller one is full.
 */
const TCG_ARGS = ['-accel', 'tcg,thread=multi', '-cpu', 'Nehalem,+sha-ni,+aes,+pclmulqdq'];

export function tcg(reason: string): Acceleration {
  return { kind: 'tcg', args: TCG_ARGS, reason };
}

const Verdict = Type.Object({ key: Type.String(), works: Type.Boolean(), reason: Type.String() });

/** Boots `kernel` without a root file system. `works` if it reached the expected panic and QEMU ended by itself. */
export async function bootsKernel(
  { system }: Qemu,
  kernel: string,
  args: string[],
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<{ works: boolean; reason: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-probe-'));
  const log = join(folder, 'console.log');
  try {
    const child = spawn(
      system.file,
      [
        ...system.args,
        ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-M', 'pc', ...args],
        ...['-smp', '2', '-m', '512', '-serial', `file:${log}`],
        ...['-kernel', kernel, '-append', 'console=ttyS0 panic=-1'],
      ],
      { env: system.env, stdio: ['ignore', 'ignore', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' },
    );
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 2000);
      if (KVM_FAILED.test(said)) child.kill('SIGKILL');
    });
    const [code, signal]: unknown[] = await once(child, 'close');
    const reached = REACHED_END.test(await readFile(log, 'utf8').catch(() => ''));
    if (reached && code === 0) return { works: true, reason: 'a probe kernel ran to its end' };
    const failure = KVM_FAILED.exec(said)?.[0];
    if (failure) return { works: false, reason: failure };
    if (signal)
      return { works: false, reason: `a probe kernel did not run to its end in ${timeoutMs / 1000} s` };
    return { works: false, reason: said.trim().split('\n')[0] || 'a probe kernel died' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Probes that are running, by what they are valid for. */
const probes = new Map<string, Promise<Static<typeof Verdict>>>();

/**
 * Chooses KVM if it really runs a kernel, else TCG: the presence of `/dev/kvm` alone proves nothing. The result is cached
 * until this computer reboots or QEMU or the kernel changes. `VITRINE_ACCEL=kvm|tcg` overrides it.
 * @param kernel the image's own vmlinuz
 */
export async function chooseAcceleration(qemu: Qemu, kernel: string): Promise<Acceleration> {
  const kvm = (reason: string): Acceleration => ({ kind: 'kvm', args: KVM_ARGS, reason });
  const asked = process.env.VITRINE_ACCEL;
  if (asked === 'tcg') return tcg('VITRINE_ACCEL=tcg');
  if (asked === 'kvm') return kvm('VITRINE_ACCEL=kvm');
  try {
    await access('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch (error) {
    const denied = errorMessage(error).startsWith('EACCES');
    return tcg(denied ? 'this user may not open /dev/kvm' : 'this computer has no /dev/kvm');
  }
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const content = createHash('sha256').update(await readFile(kernel));
  const key = `${bootId} ${qemu.version} ${content.digest('hex')}`;
  const file = join(cacheFolder(), 'kvm-probe.json');
  const kept: unknown = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const probe = async (): Promise<Static<typeof Verdict>> => {
    const found = { key, ...(await bootsKernel(qemu, kernel, KVM_ARGS)) };
    await writeFileAtomic(file, `${JSON.stringify(found)}\n`);
    return found;
  };
  const running = probes.get(key);
  const known = Value.Check(Verdict, kept) && kept.key === key ? Promise.resolve(kept) : undefined;
  const asking = running ?? known ?? probe();
  probes.set(key, asking);
  const verdict = await asking;
  return verdict.works ? kvm(verdict.reason) : tcg(`/dev/kvm exists but does not work: ${verdict.reason}`);
}
