import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: 'the image boots to a healthy system whose API describes the device',
  needs: 'machine',
  parts: ['power', 'slots'],
  machine: 'shared',
  run: async ({ device, test }) => {
    await test('GET /device has every field, with the serial number of the firmware', async () => {
      const info = await device.get('/device');
      assert.equal(field(info, 'serial'), SERIAL_NUMBER);
      assert.equal(field(info, 'model_profile'), 'virt');
      assert.equal(field(info, 'api'), 'v1');
      assert.equal(field(info, 'slot'), 'a');
      assert.equal(field(info, 'version'), await device.shell.ok('cat /etc/vitrine/version'));
      for (const name of ['name', 'model']) {
        const value = field(info, name);
        assert.ok(typeof value === 'string' && value.length > 0, `${name} is ${String(value)}`);
      }
      for (const name of ['h264_hw', 'hevc_hw', 'touch_present', 'wifi', 'bluetooth']) {
        assert.equal(typeof field(info, `capabilities.${name}`), 'boolean', name);
      }
      assert.equal(field(info, 'capabilities.wifi'), false);
      assert.equal(field(info, 'capabilities.bluetooth'), false);
    });

    await test('systemd has started everything and nothing failed', async () => {
      const { output } = await device.shell.run('systemctl is-system-running --wait', 300_000);
      const failed = await device.shell.ok('systemctl list-units --failed --no-legend --plain');
      assert.equal(failed, '', 'failed units');
      assert.equal(output.trim(), 'running');
    });

    await test('time is read from the processor, not from an emulated device', async () => {
      const clock = await device.shell.ok(
        'cat /sys/devices/system/clocksource/clocksource0/current_clocksource',
      );
      assert.match(clock, /^(?:tsc|kvm-clock)$/);
    });

    await test('the clock has a floor: the date of the build, and a time that is saved on the data partition', async () => {
      const built = Number(await device.shell.ok('stat -c %Y /usr/lib/clock-epoch'));
      assert.ok(built > Date.parse('2026-01-01') / 1000, `the build is dated ${built}`);
      // Where timesyncd keeps the time. It creates the file when it starts.
      const saved = await device.shell.ok(
        'readlink -f /var/lib/systemd/timesync/clock; stat -c %Y /data/state/systemd/timesync/clock',
      );
      assert.match(saved, /^\/var\/lib\/systemd\/timesync\/clock\n\d+$/);
    });

    await test('no console offers a login', async () => {
      const gettys = await device.shell.ok(
        "systemctl list-units --no-legend --plain 'getty@*' 'serial-getty@*' 'console-getty*'",
      );
      assert.equal(gettys, '');
    });

    await test('the root is read-only, changes are stored on the data partition', async () => {
      const root = await device.shell.ok('findmnt -no FSTYPE,OPTIONS /');
      assert.match(root, /^ext4\s+ro\b/);
      const { code } = await device.shell.run('touch /usr/written');
      assert.notEqual(code, 0, 'a file could be written to /usr');
      assert.match(await device.shell.ok('findmnt -no FSTYPE,OPTIONS /data'), /^ext4\s+rw\b/);
      const source = await device.shell.ok('readlink -f "$(findmnt -no SOURCE /data)"');
      assert.equal(source, await device.shell.ok('readlink -f /dev/disk/by-partlabel/data'));
      const name = 'On the data partition';
      await device.act('PATCH', '/config', { device: { name } });
      const file = '/data/config.json';
      assert.equal(field(JSON.parse(await device.shell.ok(`cat ${file}`)), 'device.name'), name);
      assert.equal(await device.shell.ok(`readlink -f "$(findmnt -no SOURCE -T ${file})"`), source);
      await device.act('PATCH', '/config', { device: { name: null } });
    });

    await test('the first boot created /data and grew it to the end of the disk', async () => {
      const [state, disk, start, size, blocks] = (
        await device.shell.ok(`
          cat /run/vitrine/data-state
          data=$(basename "$(readlink -f /dev/disk/by-partlabel/data)")
          cd -P "/sys/class/block/$data"
          cat ../size start size
          stat -f -c %b /data`)
      ).split('\n');
      assert.equal(state, 'created');
      assert.ok(Number(disk) - Number(start) - Number(size) <= 4096, `${start} + ${size} of ${disk} sectors`);
      // 1 GiB in the image and as much after its end, without the file system's own tables.
      assert.ok(Number(blocks) * 4096 > 1.8 * 2 ** 30, `${blocks} blocks`);
      const health = await device.get('/device/health');
      assert.equal(field(health, 'disk.total_bytes'), Number(blocks) * 4096);
    });

    await test('the running slot matches the kernel’s arguments and the root file system', async () => {
      assert.match(await device.shell.ok('cat /proc/cmdline'), /\brauc\.slot=A\b/);
      const source = await device.shell.ok('readlink -f "$(findmnt -no SOURCE /)"');
      assert.equal(source, await device.shell.ok('readlink -f /dev/disk/by-partlabel/rootfs-a'));
    });

    await test('the journal is stored on the data partition with a size limit', async () => {
      const usage = await device.shell.ok('journalctl --disk-usage; findmnt -T /var/log/journal -no TARGET');
      assert.match(usage, /\/data|\/var\/log/);
      const { code } = await device.shell.run(
        'systemd-analyze cat-config systemd/journald.conf | grep -q ^SystemMaxUse=',
      );
      assert.equal(code, 0, 'the journal has no size limit');
    });

    await test('the device serves the OpenAPI document and the documentation page', async () => {
      const document = await device.http('GET', '/openapi.yaml');
      assert.equal(document.status, 200);
      assert.match(document.bytes.toString(), /^openapi: ['"]?3\.1/m);
      const page = await device.http('GET', '/docs');
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.bytes.toString(), /(?:src|href)="https?:/, 'the page loads from elsewhere');
    });
  },
});
