/** Systems that do not start, for the rollback of an update. */

/** A way to break the system in slot B, and how the device reports it. */
export interface Failure {
  what: string;
  /** Run in the root folder of the slot. */
  breakIt: string;
  repair: string;
  code: string;
  message: RegExp;
}

const DEADLINE = 'etc/systemd/system/vitrine-boot-deadline.timer.d';
/** Masks a unit, and shortens the deadline of five minutes. */
const mask = (unit: string, deadlineSeconds: number) => ({
  breakIt: `mkdir -p ${DEADLINE} && printf '[Timer]\\nOnBootSec=\\nOnBootSec=${deadlineSeconds}s\\n' >${DEADLINE}/test.conf &&
    ln -s /dev/null etc/systemd/system/${unit}`,
  repair: `rm -r ${DEADLINE} etc/systemd/system/${unit}`,
});

/** The first one is the quickest. */
export const FAILURES: readonly Failure[] = [
  {
    what: 'a system without init',
    breakIt: 'mv usr/lib/systemd/systemd usr/lib/systemd/systemd.good',
    repair: 'mv usr/lib/systemd/systemd.good usr/lib/systemd/systemd',
    code: 'kernel_panic',
    message: /^Slot b has no boot attempts left; its kernel panicked: .+/,
  },
  {
    what: 'an agent that is never healthy',
    ...mask('vitrine-agent.service', 45),
    code: 'unhealthy',
    message: /^The boot of slot b was not confirmed within \d+ s: the agent did not run/,
  },
  {
    what: 'a kernel that panics without an initramfs',
    breakIt: 'mv boot/initrd.img boot/initrd.good && head -c 64 /dev/zero >boot/initrd.img',
    repair: 'mv boot/initrd.good boot/initrd.img',
    code: 'boot_failed',
    message: /it never reached its initramfs/,
  },
  {
    what: 'a kernel that is cut off',
    breakIt: 'cp boot/vmlinuz boot/kernel.good && truncate -s 4M boot/vmlinuz',
    repair: 'mv boot/kernel.good boot/vmlinuz',
    code: 'boot_failed',
    message: /it never reached its initramfs/,
  },
  {
    what: 'a browser that never paints',
    // A boot on a busy computer takes up to 100 s.
    ...mask('vitrine-kiosk.service', 150),
    code: 'unhealthy',
    message: /it waits for "first frame"/,
  },
  {
    what: 'a PID 1 that hangs, until the watchdog resets it',
    breakIt:
      'mv usr/lib/systemd/systemd usr/lib/systemd/systemd.good && printf "#!/bin/sh\\nsleep 100000\\n" >usr/lib/systemd/systemd && chmod 755 usr/lib/systemd/systemd',
    repair: 'mv usr/lib/systemd/systemd.good usr/lib/systemd/systemd',
    code: 'watchdog',
    message: /the watchdog reset it last/,
  },
];
