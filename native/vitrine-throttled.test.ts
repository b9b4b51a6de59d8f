import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const skip = spawnSync('cc', ['--version']).error ? 'no C compiler' : false;
const folder = mkdtempSync(join(tmpdir(), 'vitrine-throttled-'));
after(() => rmSync(folder, { recursive: true }));

/** A fake mailbox that replaces open() and ioctl(). `answer` is C code that fills in the message. */
const mailbox = (answer: string) => `
  #include <errno.h>
  #include <stdint.h>
  #include <string.h>
  int __wrap_open(const char *path, int flags) {
    (void)flags;
    if (strcmp(path, "/dev/vcio")) { errno = ENOENT; return -1; }
    return 77;
  }
  int __wrap_ioctl(int fd, unsigned long request, uint32_t *message) {
    /* The request number of vcio.c on a 64-bit kernel; one tag with room for one word that clears no flags. */
    static const uint32_t asked[] = {28, 0, 0x00030046, 4, 0, 0, 0};
    if (fd != 77 || request != 0xc0086400 || memcmp(message, asked, sizeof asked)) { errno = EINVAL; return -1; }
    ${answer}
    return 0;
  }`;

function run(answer: string): { status: number | null; stdout: string; stderr: string } {
  const [program, fake] = [join(folder, 'program'), join(folder, 'mailbox.c')];
  writeFileSync(fake, mailbox(answer));
  const source = join(import.meta.dirname, 'vitrine-throttled.c');
  const strict = ['-Wall', '-Wextra', '-Werror', '-Wl,--wrap=open', '-Wl,--wrap=ioctl'];
  const built = spawnSync('cc', [...strict, '-o', program, source, fake], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(built.status, 0, built.stderr);
  return spawnSync(program, { encoding: 'utf8', timeout: 60_000 });
}

const ANSWERED = 'message[1] = 0x80000000; message[4] = 0x80000004;';

test("prints the firmware's flags", { skip }, () => {
  const { status, stdout } = run(`${ANSWERED} message[5] = 0x50005;`);
  assert.equal(status, 0);
  assert.equal(stdout, '50005\n');
});

test('prints 0 when no flag is set', { skip }, () => {
  assert.equal(run(ANSWERED).stdout, '0\n');
});

const failures = [
  {
    what: 'a firmware that does not know the tag',
    answer: 'message[1] = 0x80000000;',
    says: /does not support/,
  },
  { what: 'a firmware that does not answer', answer: 'errno = ETIMEDOUT; return -1;', says: /timed out/i },
];
for (const { what, answer, says } of failures) {
  test(`${what} is a failure, not a number`, { skip }, () => {
    const { status, stdout, stderr } = run(answer);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, says);
  });
}
