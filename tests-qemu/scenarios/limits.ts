import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import type { Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { putBundle } from '../harness/bundles.ts';
import type { Device } from '../harness/device.ts';
import { browserProcess, processes } from '../harness/guest.ts';
import type { PageServer } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const GREEN: Colour = [20, 160, 60];
const AMBER: Colour = [230, 150, 10];
const AS_KIOSK = 'setpriv --reuid kiosk --regid kiosk --init-groups --';
const isUp = (display: unknown): boolean =>
  field(display, 'loading') === false && field(display, 'error') === null;
/** The agent counts once a minute. */
const COUNTED_MS = 240_000;

/** A page that stores one MiB after another until it fails, and reports the error and the number to `pages`. */
function endlessStoragePage(pages: PageServer): string {
  return `<!doctype html><title>stores</title><script>
    const opening = indexedDB.open('much');
    opening.onupgradeneeded = () => opening.result.createObjectStore('parts');
    opening.onsuccess = () => {
      const database = opening.result;
      const store = (count) => {
        const part = new Uint8Array(2 ** 20);
        for (let at = 0; at < part.length; at += 65536) crypto.getRandomValues(part.subarray(at, at + 65536));
        const writing = database.transaction('parts', 'readwrite');
        let why;
        try {
          writing.objectStore('parts').put(part, count).onerror = (event) => { why = event.target.error; };
        } catch (error) {
          why = error;
        }
        writing.oncomplete = () => store(count + 1);
        writing.onabort = () =>
          fetch('${pages.origin}/full?' + (why ?? writing.error).name + '-' + count, { mode: 'no-cors' });
      };
      store(0);
    };
  </script>`;
}

/** Shows a page of `endlessStoragePage` with `show`, waits until its quota is exceeded, and returns the stored bytes. */
async function storedUntilRefused(pages: PageServer, show: () => Promise<unknown>): Promise<number> {
  const before = pages.requests.length;
  await show();
  const full = await waitFor(() => pages.requests.slice(before).find((path) => path.startsWith('/full')), {
    timeoutMs: 300_000,
    what: 'the page to exceed its quota',
  });
  const [, error, megabytes] = /^\/full\?(\w+)-(\d+)$/.exec(full) ?? assert.fail(full);
  assert.equal(error, 'QuotaExceededError');
  return Number(megabytes) * 2 ** 20;
}

/** The size of a folder's file system in bytes; for a folder with a quota, the quota. */
async function bytesOf(device: Device, folder: string): Promise<number> {
  const [count, size] = (await device.shell.ok(`stat -f -c '%b %S' ${folder}`)).split(' ').map(Number);
  return Number(count) * Number(size);
}

export default scenario({
  title: 'what a page may use is limited: memory, processes, storage; nobody but root can use RAUC',
  needs: 'machine',
  parts: ['memory', 'quota', 'slots'],
  machine: 'shared',
  run: async (context) => {
    const { device, pages, test, longTest } = context;
    await test('only root can use RAUC, which does not check permissions itself', async () => {
      const call = 'busctl --system call de.pengutronix.rauc / de.pengutronix.rauc.Installer GetSlotStatus';
      const { code, output } = await device.shell.run(`setpriv --reuid daemon --clear-groups -- ${call}`);
      assert.notEqual(code, 0);
      assert.match(output, /denied/i);
      assert.match(await device.shell.ok(call), /"booted"/);
    });

    await test('memory, tasks and processor share of the displayed page are limited', async () => {
      const [pid] = await processes(device, 'vitrine-browser');
      const group = (await device.shell.ok(`cat /proc/${pid}/cgroup`)).replace('0::', '');
      /** The minimum of a limit over the control group and its parents. */
      const least = async (name: string) => {
        const parts = group.split('/').slice(1);
        const files = parts.map((_, i) => `/sys/fs/cgroup/${parts.slice(0, i + 1).join('/')}/${name}`);
        // A controller that is not enabled in a group has no files there.
        const values = (await device.shell.ok(`cat ${files.join(' ')} 2>/dev/null; true`))
          .split('\n')
          .filter(Boolean)
          .map(Number);
        return Math.min(...values.filter(Number.isFinite));
      };
      const total = Number(await device.shell.ok("awk '/MemTotal/ {print $2 * 1024}' /proc/meminfo"));
      const memory = (await least('memory.max')) / total;
      assert.ok(memory > 0.7 && memory < 0.85, `${memory} of the memory, in ${group}`);
      assert.deepEqual([await least('pids.max'), await least('cpu.weight')], [1024, 50], group);
    });

    await test('a page that stores data endlessly is limited to its share of /data, and clear-data deletes it', async () => {
      // A smaller share, so that the test takes only seconds.
      const dropIn = '/run/systemd/system/vitrine-kiosk.service.d';
      await device.shell.ok(`mkdir -p ${dropIn}
        printf '[Service]\\nEnvironment=VITRINE_STORAGE_PERCENT=2\\n' >${dropIn}/small.conf
        systemctl daemon-reload && systemctl restart vitrine-kiosk`);
      const html = endlessStoragePage(pages);
      const first = await storedUntilRefused(pages, () =>
        device.act('POST', '/display/navigate', { url: pages.add(html) }),
      );
      const limit = await bytesOf(device, '/data/kiosk');
      assert.ok(limit > 2 ** 24 && limit < 0.03 * (await bytesOf(device, '/data')), String(limit));
      assert.ok(first > 0.4 * limit && first <= 0.6 * limit, `${first} bytes of ${limit}`);
      const told = field(await device.get('/device/health'), 'problems');
      assert.match(String(told), /stored by pages.*clear-data/);

      // Uploads still work. A page of another origin gets the same share: the data of the first one is evicted.
      await putBundle(device, 'stores', await zip({ 'index.html': html }));
      const second = await storedUntilRefused(pages, () =>
        device.act('POST', '/display/bundle', { name: 'stores' }),
      );
      assert.ok(second > 0.4 * limit && second <= 0.6 * limit, `${second} bytes of ${limit}`);

      // The file system's quota also covers files that WebKit does not count. Then fill the rest of the partition.
      const { output } = await device.shell.run(
        `${AS_KIOSK} dd if=/dev/zero of=/data/kiosk/more bs=1M count=100 2>&1
        fallocate -l $(stat -f -c '%a * %S' /data | { read sum; echo $(($sum)); }) /data/rest; rm -r ${dropIn}; systemctl daemon-reload`,
      );
      assert.match(output, /quota exceeded/i);
      const before = await browserProcess(device);
      const display = await device.act('POST', '/display/clear-data');
      assert.equal(field(display, 'bundle'), 'stores');
      assert.equal(
        await device.shell.ok('ls -d /data/kiosk/more 2>/dev/null || echo gone; rm /data/rest'),
        'gone',
      );
      assert.notDeepEqual(await browserProcess(device), before);
      await device.showWaiting();
      await device.act('DELETE', '/content/stores');
      assert.deepEqual(field(await device.get('/device/health'), 'problems'), []);
      const whole = await bytesOf(device, '/data/kiosk');
      assert.ok(whole > 0.2 * (await bytesOf(device, '/data')), 'the usual share is back');
    });

    await longTest(
      'too many web processes: the browser is restarted with the next page that a host asks for',
      async () => {
        const url = pages.addColours(GREEN, AMBER);
        await device.act('POST', '/display/navigate', { url });
        await device.waitForColours(GREEN, AMBER);
        const [before] = await processes(device, 'vitrine-browser');
        const limit = Number(
          field(field(await device.get('/device/health'), 'browser'), 'web_process_limit'),
        );
        // Processes with that name in the browser's control group stand for those that WebKit keeps.
        await device.shell.ok(
          `cp /bin/sleep /run/WPEWebProcess; for i in $(seq 1 ${limit}); do sh -c 'echo $$ >/sys/fs/cgroup/'$(cut -d: -f3 /proc/${before}/cgroup)'/cgroup.procs; exec /run/WPEWebProcess 600' </dev/null >/dev/null 2>&1 & done`,
        );
        const next = pages.addColours(AMBER, GREEN);
        // The agent counts once a minute.
        const overLimit = async () =>
          Number(field(field(await device.get('/device/health'), 'browser'), 'web_processes')) > limit;
        await waitFor(overLimit, { timeoutMs: COUNTED_MS, what: 'the processes to be counted' });
        await waitFor(
          async () => {
            await device.act('POST', '/display/navigate', { url: next });
            return Number(field(field(await device.get('/device/health'), 'browser'), 'memory_restarts')) > 0;
          },
          { timeoutMs: COUNTED_MS, what: 'the restart', intervalMs: 1000 },
        );
        await waitFor(async () => !(await processes(device, 'vitrine-browser')).includes(Number(before)), {
          timeoutMs: COUNTED_MS,
          what: 'the old browser to end',
        });
        await device.waitForColours(AMBER, GREEN);
        await device.waitForDisplay(isUp, 'the page to be loaded');
      },
    );

    await device.showWaiting();
  },
});
