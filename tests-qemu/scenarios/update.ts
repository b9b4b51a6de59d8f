/**
 * Updates through the real RAUC and U-Boot on one device: bundles that must be refused, a complete update from A to B, and
 * slots that do not start. Two things are shortened. The bundles of the first part contain a megabyte of random bytes
 * instead of a system, and are signed by a test authority that the device is made to trust. And where a slot is broken, it
 * is broken in place: the agent's record of the installation is put back instead of installing 350 MB once more.
 *
 * `--long` adds the failures that take minutes each, and the way from B to A and back to B.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../ci/lib/places.ts';
import { waitForApi } from '../../ci/lib/virtual-device.ts';
import { connect } from '../../client/connect.ts';
import { field } from '../../testing/field.ts';
import { solidPng } from '../../testing/make-png.ts';
import { waitFor } from '../../testing/wait.ts';
import { FAILURES, type Failure } from '../harness/broken-slots.ts';
import type { Device } from '../harness/device.ts';
import { coloursPage, REPORT_ZONE, ZONE } from '../harness/pages.ts';
import { BOOT, LEFT, RIGHT, SHUTDOWN, watchRestart } from '../harness/screen-contents.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';
import {
  applyAndWait,
  bootVariables,
  changedBundle,
  inSlot,
  install,
  operationEnd,
  putBundle,
  refusal,
  resultAfter,
  SmallBundles,
} from '../harness/updates.ts';
import { updateByClicking } from '../harness/view-tests.ts';

const LONG_MS = 40 * 60_000;
const NEXT = '0.9.0';
/** Large enough for RAUC to be busy for seconds. */
const LARGER_BYTES = 96 * 2 ** 20;
/** Succeeds while RAUC writes a slot. */
const WRITING = "grep -qx 'status=pending' /data/rauc/central.raucs";
const STATE = '/data/update/state.json';
/** Stored right before a restart: the browser would be restarted for the time zone. */
const SETTINGS = {
  device: { timezone: ZONE.name, ntp_servers: ['192.0.2.9'] },
  display: { resume_on_boot: true },
};
const SERVERS =
  'org.freedesktop.timesync1 /org/freedesktop/timesync1 org.freedesktop.timesync1.Manager RuntimeNTPServers';

/** For the next boot of slot B only one attempt is left. Runs at shutdown, after the slot was made active. */
const ONE_ATTEMPT =
  'systemd-run --quiet --remain-after-exit --property=ExecStop="/usr/bin/fw_setenv BOOT_B_LEFT 1" true';
/** The addresses at both ends of the cable's network link. */
const ADDRESSES = 'cat /sys/kernel/config/usb_gadget/vitrine/functions/ncm.usb0/*_addr';

/** Puts the agent's record of the installed update back, which a rollback has removed. */
async function makePendingAgain(device: Device): Promise<void> {
  await device.shell.ok(
    `systemctl stop vitrine-agent && cp ${STATE}.saved ${STATE} && systemctl start vitrine-agent`,
  );
  await waitForApi(device.host, device.bootTimeoutMs);
  await waitFor(async () => field(await device.get('/update'), 'pending') === NEXT, {
    timeoutMs: 60_000,
    what: 'the update to be pending again',
  });
}

async function refuseBadBundles(
  { device, test, longTest }: ScenarioContext,
  small: SmallBundles,
): Promise<void> {
  const version = String(field(await device.get('/device'), 'version'));
  const good = await small.make(version);
  await test('a bundle of an authority that the keyring does not have is refused', async () =>
    assert.match(await refusal(device, good), /^The signature of the bundle is not accepted/));
  await small.trust(device);
  const flipped = (position: number) => {
    const copy = Buffer.from(good);
    copy.writeUInt8(copy.readUInt8(position) ^ 1, position);
    return copy;
  };
  const signature = good.length - 8 - Number(good.readBigUInt64BE(good.length - 8));
  const hugeHeader = Buffer.from(good);
  hugeHeader.writeBigUInt64LE(2n ** 60n, 40);
  const lengths = [
    1,
    3,
    47,
    4096,
    signature / 4,
    signature / 2,
    signature,
    signature + 100,
    good.length - 8,
    good.length - 1,
  ];
  type Bad = [what: string, bundle: Buffer, message: RegExp];
  const cutOff = lengths.map(
    (length): Bad => [
      `cut off after ${Math.floor(length)} bytes`,
      good.subarray(0, Math.floor(length)),
      /^The (?:bundle is incomplete|file is not a valid update bundle|signature of the bundle is not accepted)/,
    ],
  );
  /**
   * What is like a bundle of the fast run, or is tested without a device in it: the expired signer by
   * ci/bundle/checks/signing.ts, files that are no bundle by install-error.test.ts.
   */
  const onlyLong: Bad[] = [
    ...cutOff.slice(0, -1),
    ['a changed byte of the superblock', flipped(9), /^The bundle is damaged/],
    ['a changed byte of the hash tree', flipped(signature - 4096), /^The bundle is damaged/],
    ['an expired signer', await small.make(version, { signer: 'expired' }), /^The signature .*expired/],
    ['a text', Buffer.from('not a bundle\n'.repeat(1000)), /^The file is not an update bundle/],
  ];
  const bad: Bad[] = [
    ...cutOff.slice(-1),
    ['a changed byte of the payload', flipped(100_000), /^The bundle is damaged/],
    ['a changed byte of the signature', flipped(signature + 1000), /^The (?:signature|file is not a valid)/],
    [
      'a signer of another authority',
      await small.make(version, { signer: 'other' }),
      /^The signature .* not accepted/,
    ],
    [
      'another board',
      await small.make(version, { compatible: 'vitrine-rpi4' }),
      /^The bundle is for another board/,
    ],
    ['an empty body', Buffer.alloc(0), /^The file is not a valid update bundle/],
    ['a size of 2^60 bytes in its header', hugeHeader, /^The bundle is incomplete/],
    ['an older version', await small.make('0.0.9'), /^The bundle is older/],
  ];
  assert.equal(bad.length + onlyLong.length, 21);
  await waitFor(async () => field(await device.get('/update'), 'slots.a.state') === 'good', {
    timeoutMs: 300_000,
    what: 'the boot to be confirmed',
  });
  const before = await device.get('/update');
  const variables = await bootVariables(device);
  for (const [run, bundles] of [
    [longTest, onlyLong],
    [test, bad],
  ] as const) {
    for (const [what, bundle, message] of bundles) {
      await run(`a bundle is refused: ${what}`, async () =>
        assert.match(await refusal(device, bundle), message),
      );
    }
  }
  await test('a bundle is refused on serial, too', async () => {
    const serial = await device.serial();
    try {
      const answer = await serial.request('PUT', '/update/bundle', { raw: 'not a bundle\n' });
      assert.deepEqual([answer.status, field(answer.body, 'error.code')], [400, 'bundle_invalid']);
    } finally {
      await serial.close();
    }
  });
  await test('the refused bundles have changed neither slots nor boot order, and left no file', async () => {
    assert.deepEqual(await device.get('/update'), before);
    assert.deepEqual(await bootVariables(device), variables);
    assert.equal(await device.shell.ok('ls -A /data/update'), 'state.json');
    assert.equal((await device.http('POST', '/update/apply')).status, 409);
  });
}

/** Installs the complete update with everything else that a host may try meanwhile. */
async function installNext(device: Device, bundle: string): Promise<void> {
  const socket = await device.events('operation');
  const { mark } = socket.events;
  const begun = performance.now();
  const { status, body } = await putBundle(device, bundle);
  const sentMs = performance.now() - begun;
  assert.equal(status, 202, JSON.stringify(body));
  const id = field(body, 'operation_id');
  const code = async (method: string, path: string, json?: unknown) =>
    field((await device.http(method, path, json === undefined ? {} : { json })).body, 'error.code');
  const isOurs = (payload: unknown): boolean => field(payload, 'operation_id') === id;
  // The slot is being written from the first progress of RAUC on. Requests would take much of the emulated processor.
  const isWriting = (payload: unknown): boolean =>
    isOurs(payload) && (Number(field(payload, 'progress')) > 0.45 || field(payload, 'state') === 'failed');
  await socket.events.next('operation', mark, isWriting, 600_000);
  const reported = socket.events
    .since(mark, 'operation')
    .filter(({ payload }) => isOurs(payload))
    .map(({ payload }) => Number(field(payload, 'progress')));
  await socket.close();
  // While the body arrives, and while RAUC installs.
  assert.ok(reported.length > 20 && Number(reported.at(-1)) > 0.45, reported.join(' '));
  assert.deepEqual(
    reported,
    reported.toSorted((x, y) => x - y),
  );
  assert.equal(await code('POST', '/device/reboot'), 'conflict');
  assert.equal(await code('POST', '/device/shutdown'), 'conflict');
  const confirm = field(await device.get('/device'), 'serial');
  assert.equal(await code('POST', '/device/factory-reset', { confirm }), 'conflict');
  assert.equal(await code('POST', '/update/apply'), 'conflict');
  assert.equal(field((await putBundle(device, Buffer.from('hsqs'))).body, 'error.code'), 'conflict');
  await device.shell.ok('systemctl kill --signal=KILL vitrine-agent');
  const operation = await operationEnd(device, id, 3000);
  assert.equal(field(operation, 'state'), 'done', JSON.stringify(operation));
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
  device.say(`sent in ${seconds(sentMs)}, installed after ${seconds(performance.now() - begun)}`);
  assert.equal(await device.shell.ok('ls -A /data/update'), 'state.json');
  assert.equal(field(await device.get('/update'), 'pending'), NEXT);
}

/** Kills RAUC while it writes the slot. */
async function interruptRauc(device: Device, bundle: Buffer): Promise<void> {
  const { body } = await putBundle(device, bundle);
  const id = field(body, 'operation_id');
  await waitFor(async () => (await device.shell.run(WRITING)).code === 0, {
    timeoutMs: 300_000,
    what: 'RAUC to write the slot',
    intervalMs: 100,
  });
  await device.shell.ok('systemctl kill --signal=KILL rauc');
  const operation = await operationEnd(device, id);
  assert.equal(field(operation, 'error.error.code'), 'unavailable', JSON.stringify(operation));
  const status = await device.get('/update');
  assert.deepEqual(
    [field(status, 'slots.b'), field(status, 'pending')],
    [{ version: null, state: 'bad' }, null],
  );
  const problems = field(await device.get('/device/health'), 'problems');
  assert.match(String(problems), /Slot b holds an incomplete update/);
}

/** Sends, installs and starts an update by the command of the host, which waits for the result. */
async function updateByCommand(device: Device, bundle: string): Promise<unknown> {
  const command = ['--host', device.origin, '--json', 'update', bundle, '--wait'];
  let status: unknown;
  await resultAfter(device, async () => {
    const main = join(ROOT, 'client/cli/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...command], { timeout: LONG_MS });
    status = JSON.parse(stdout);
  });
  return status;
}

export default scenario({
  title:
    'updates: bad bundles are refused, a good one runs after apply, with splash images, broken slots are rolled back with the reason',
  needs: 'machine',
  parts: ['slots', 'power', 'graphics'],
  machine: 'restored',
  run: async (context) => {
    const { device, image, options, pages, test, longTest } = context;
    const small = await SmallBundles.prepare(image);
    const rolledBack = async (status: unknown, { code, message }: Pick<Failure, 'code' | 'message'>) => {
      const text = JSON.stringify(status);
      assert.equal(field(status, 'active_slot'), 'a', text);
      assert.equal(field(status, 'slots.b.state'), 'bad', text);
      assert.equal(field(status, 'pending'), null, text);
      assert.equal(field(status, 'last_result.outcome'), 'rolled_back', text);
      assert.equal(field(status, 'last_result.reason.code'), code, text);
      assert.match(String(field(status, 'last_result.reason.message')), message);
      const problems = field(await device.get('/device/health'), 'problems');
      assert.match(String(problems), /was rolled back: .* runs from slot a/);
      assert.ok((await bootVariables(device)).BOOT_ORDER?.includes('A'));
    };

    /** The page is shown again, with the time zone, and the time service has its servers. */
    const keptSettings = async (seen: number) => {
      await waitFor(() => pages.requests.slice(seen).includes(ZONE.report), {
        timeoutMs: 300_000,
        what: 'the page to be shown after the boot',
      });
      await waitFor(
        async () => (await device.shell.ok(`busctl get-property ${SERVERS}`)) === 'as 1 "192.0.2.9"',
        { timeoutMs: 60_000, what: 'the time service to have its servers' },
      );
      assert.equal(await device.shell.ok('date -d @0 +%H:%M'), ZONE.shell);
    };

    await refuseBadBundles(context, small);

    const url = pages.add(`${coloursPage(LEFT, RIGHT)}${REPORT_ZONE}`);
    await device.act('POST', '/display/navigate', { url });

    await longTest('a restart of RAUC ends the operation, and leaves the slot incomplete', async () => {
      const version = String(field(await device.get('/device'), 'version'));
      await interruptRauc(device, await small.make(version, { bytes: LARGER_BYTES }));
    });

    await test(
      'an update is installed while the agent is killed; nothing may interrupt it',
      async () => {
        const keyring = await small.keyringWithoutFirst();
        const changes = {
          '/etc/rauc/keyring.pem': () => keyring,
          '/etc/rauc/system.conf': (text: string) => text.replace('check-crl=false', 'check-crl=true'),
        };
        // To look for what the slots hold already, an emulated device takes as long as to write everything.
        await installNext(device, await changedBundle(image, NEXT, changes, { adaptive: options.long }));
        await device.shell.ok(`cp ${STATE} ${STATE}.saved`);
      },
      LONG_MS,
    );

    for (const [i, failure] of FAILURES.entries()) {
      await (i === 0 ? test : longTest)(
        `the device returns from ${failure.what}, and says why`,
        async () => {
          await inSlot(device, 'b', failure.breakIt);
          if (!options.long) await device.shell.ok(ONE_ATTEMPT);
          await device.act('PATCH', '/config', SETTINGS);
          const [start, seen] = [performance.now(), pages.requests.length];
          const status = await applyAndWait(device);
          device.say(`back after ${((performance.now() - start) / 1000).toFixed(0)} s`);
          await rolledBack(status, failure);
          await keptSettings(seen);
          await inSlot(device, 'b', failure.repair);
          await makePendingAgain(device);
        },
        LONG_MS,
      );
    }

    await test(
      'the update runs after apply and is confirmed; configuration, identity and page are the same; splash images are shown meanwhile',
      async () => {
        for (const [path, colour] of [
          ['/files/splash', BOOT],
          ['/files/splash/shutdown', SHUTDOWN],
        ] as const) {
          const raw = solidPng(1280, 720, colour);
          const { status } = await device.http('PUT', path, {
            raw,
            headers: { 'content-type': 'image/png' },
          });
          assert.equal(status, 204);
        }
        const look = `cat /etc/machine-id; ${ADDRESSES}`;
        const identity = await device.shell.ok(look);
        const seen = pages.requests.length;
        let status: unknown;
        await watchRestart(device, async () => {
          // As a host's program, which waits through the restart.
          const client = await connect(device.origin);
          await resultAfter(device, async () => {
            status = await client.applyUpdate();
          });
          await client.close();
        });
        assert.equal(field(status, 'active_slot'), 'b');
        assert.deepEqual(field(status, 'slots.b'), { version: NEXT, state: 'good' });
        assert.equal(field(status, 'last_result.outcome'), 'success');
        assert.match(await device.shell.ok('cat /proc/cmdline'), /\brauc\.slot=B\b/);
        assert.equal(field(await device.get('/device'), 'version'), NEXT);
        assert.equal(await device.shell.ok(look), identity);
        await keptSettings(seen);
        assert.equal(await device.shell.ok('systemctl show -P NRestarts vitrine-kiosk'), '0');
        assert.equal(await device.shell.ok('systemctl list-units --failed --no-legend --plain'), '');
        // The shutdown splash did not prevent the unmounting of /data.
        assert.doesNotMatch(await device.shell.ok('cat /run/vitrine/data.log'), /recovering journal/);
        const { BOOT_ORDER, BOOT_A_LEFT, BOOT_B_LEFT } = await bootVariables(device);
        assert.deepEqual([BOOT_ORDER, BOOT_A_LEFT, BOOT_B_LEFT], ['B A', '3', '3']);
        const problems = field(await device.get('/device/health'), 'problems');
        assert.doesNotMatch(String(problems), /slot|boot|update/i);
      },
      LONG_MS,
    );

    await test("the updated system has the update's keyring with its CRL, and refuses older versions unless they are allowed", async () => {
      const version = String(field(await device.get('/update'), 'slots.a.version'));
      assert.match(await refusal(device, await small.make(version)), /^The signature .*revoked/);
      const older = await small.make(version, { signer: 'second' });
      assert.match(await refusal(device, older), /^The bundle is older/);
      await device.act('PATCH', '/config', { update: { allow_downgrade: true } });
      await install(device, older);
    });

    // Each is signed for the keyring of the slot that runs.
    for (const [slot, version, signer, way] of [
      ['a', '0.8.0', small.keyPair('second'), ''],
      ['b', '0.9.1', undefined, ', by clicking in the web app, which stays open'],
    ] as const) {
      await longTest(
        `the round goes on with ${version} in slot ${slot}${way}`,
        async () => {
          const bundle = await changedBundle(image, version, {}, signer);
          const status =
            way === ''
              ? await updateByCommand(device, bundle)
              : await updateByClicking(device, bundle, version);
          assert.equal(field(status, 'active_slot'), slot);
          assert.deepEqual(field(status, `slots.${slot}`), { version, state: 'good' });
          assert.equal(field(status, 'last_result.outcome'), 'success');
        },
        LONG_MS,
      );
    }
  },
});
