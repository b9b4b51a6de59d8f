import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import type { BootSlots, SlotFacts, SlotName } from './ports.ts';
import { otherSlot, type SlotStatus } from './slot-status.ts';
import { SlotTrial } from './slot-trial.ts';
import { Slots } from './slots.ts';
import { StateFile } from './state-file.ts';

const log = createLogger('silent');
const ATTEMPTS = 3;
const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

class PowerCut extends Error {}

/** A disk with two slots, U-Boot's variables and RAUC's records, as RAUC and board/common/boot.cmd change them. */
class Disk {
  order: SlotName[] = ['a', 'b'];
  attempts = { a: ATTEMPTS, b: ATTEMPTS };
  booted: SlotName = 'a';
  version: Record<SlotName, string> = { a: '1.0.0', b: '1.0.0' };
  readonly records: Record<SlotName, Pick<SlotFacts, 'content' | 'installations' | 'activations'>> = {
    a: { content: 'unknown', installations: 0, activations: 0 },
    b: { content: 'unknown', installations: 0, activations: 0 },
  };
  /** Writes until the power fails. */
  power = Number.POSITIVE_INFINITY;
  /** Called when it fails; nothing that the agent still writes counts. */
  cut = (): void => undefined;

  write(change: () => void): void {
    if (this.power === 0) this.cut();
    this.power -= 1;
    if (this.power < 0) throw new PowerCut();
    change();
  }

  bootable(slot: SlotName): boolean {
    return this.order.includes(slot) && this.attempts[slot] > 0;
  }

  install(version: string): void {
    const slot = otherSlot(this.booted);
    this.order = this.order.filter((name) => name !== slot);
    this.attempts[slot] = 0;
    this.records[slot].content = 'complete';
    this.records[slot].installations += 1;
    this.version[slot] = version;
  }

  /** As the boot script: the first slot with attempts, or all get new ones. */
  boot(): SlotName {
    let slot = this.order.find((name) => this.attempts[name] > 0);
    if (!slot) {
      this.attempts = { a: ATTEMPTS, b: ATTEMPTS };
      slot = this.order[0] ?? 'a';
    }
    this.attempts[slot] -= 1;
    this.booted = slot;
    return slot;
  }

  facts(slot: SlotName): SlotFacts {
    return { ...this.records[slot], version: null, bootable: this.bootable(slot) };
  }

  /** RAUC's interface to it. */
  readonly port: BootSlots = {
    read: async () => ({ booted: this.booted, slots: { a: this.facts('a'), b: this.facts('b') } }),
    versions: async () => ({ ...this.version }),
    markGood: async () =>
      this.write(() => {
        this.attempts[this.booted] = ATTEMPTS;
      }),
    activate: async (which) => {
      const slot = which === 'booted' ? this.booted : otherSlot(this.booted);
      this.write(() => {
        this.attempts[slot] = ATTEMPTS;
      });
      this.write(() => {
        this.order = [slot, ...this.order.filter((name) => name !== slot)];
      });
      this.write(() => {
        this.records[slot].activations += 1;
      });
    },
  };
}

async function device(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-updates-'));
  t.after(() => rm(folder, { recursive: true }));
  const atCut = `${folder}.cut`;
  t.after(() => rm(atCut, { recursive: true, force: true }));
  const disk = new Disk();
  disk.cut = () => cpSync(folder, atCut, { recursive: true });
  const events: SlotStatus[] = [];
  let reboots = 0;
  let boots = 0;
  let slots: Slots;
  let trial: SlotTrial;
  let state: StateFile;
  /** Starts an agent in the booted slot. */
  const start = async ({ settle = true } = {}): Promise<SlotTrial> => {
    state = await StateFile.open(folder, log);
    slots = new Slots(disk.port, disk.booted, log);
    trial = new SlotTrial({
      folder,
      slots,
      service: disk.port,
      state,
      device: {
        checkEnd: async () => undefined,
        end: async (_action, afterAnswer) => {
          afterAnswer(() => undefined);
          return {};
        },
      },
      version: disk.version[disk.booted],
      boot: `boot ${boots}`,
      noteConfirmed: async () => undefined,
      log,
    });
    slots.onChange(async () => void events.push(await trial.status()));
    if (settle) await trial.settleEarlierTrial();
    return trial;
  };
  await start();
  return {
    disk,
    folder,
    events,
    get trial() {
      return trial;
    },
    get reboots() {
      return reboots;
    },
    start,
    install: async (version: string, reference: string | null = null) => {
      disk.install(version);
      const { installations } = disk.records[otherSlot(disk.booted)];
      await state.change({ installed: { installations, reference } });
      await slots.contentChanged();
    },
    apply: () =>
      trial.apply((action) => {
        action();
        reboots += 1;
      }),
    /** Boots, and starts the agent. */
    boot: async () => {
      disk.power = Number.POSITIVE_INFINITY;
      if (existsSync(atCut)) {
        await rm(folder, { recursive: true });
        await rename(atCut, folder);
      }
      disk.boot();
      boots += 1;
      return start();
    },
  };
}

test('an update is pending until it is applied, runs after the reboot, and has succeeded once it is confirmed', async (t) => {
  const d = await device(t);
  await assert.rejects(d.apply(), hasCode('conflict'));
  await d.trial.confirm();
  await d.install('2.0.0', 'action 7');
  const { pending, slots } = await d.trial.status();
  assert.deepEqual([pending, slots.b], ['2.0.0', { version: '2.0.0', state: 'unknown' }]);
  assert.deepEqual(d.trial.problems(), []);
  await d.apply();
  assert.equal(d.reboots, 1);
  // Until the reboot it can only be asked for again, also from an agent that has restarted.
  assert.throws(() => d.trial.requireNoTrial(), /about to reboot/);
  await d.start();
  assert.equal((await d.trial.status()).last_result, null);
  await d.apply();
  assert.equal(d.reboots, 2);
  await d.boot();
  assert.throws(() => d.trial.requireNoTrial(), /not confirmed yet/);
  assert.deepEqual((await d.trial.status()).slots, {
    a: { version: '1.0.0', state: 'good' },
    b: { version: '2.0.0', state: 'unknown' },
  });
  await d.trial.confirm();
  const { ts, ...result } = (await d.trial.status()).last_result ?? {};
  const about = { version: '2.0.0', slot: 'b', reference: 'action 7' };
  assert.deepEqual(result, { ...about, outcome: 'success', reason: null });
  assert.ok(Date.parse(String(ts)) > 0);
  assert.deepEqual(d.events.at(-1), await d.trial.status());
  d.trial.requireNoTrial();
  await d.install('3.0.0');
  assert.equal((await d.trial.status()).pending, '3.0.0');
});

test('a slot that uses up its attempts is rolled back, with the recorded reason, once', async (t) => {
  const d = await device(t);
  await d.trial.confirm();
  await d.install('2.0.0');
  await d.apply();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    assert.equal(d.disk.boot(), 'b');
    await appendFile(join(d.folder, 'trial-boots'), 'b watchdog\n');
  }
  await appendFile(join(d.folder, 'trial-boots'), 'a watchdog\n');
  await d.boot();
  const { active_slot, slots, pending, last_result } = await d.trial.status();
  assert.deepEqual([active_slot, slots.b.state, pending], ['a', 'bad', null]);
  assert.deepEqual([last_result?.outcome, last_result?.reason?.code], ['rolled_back', 'watchdog']);
  assert.match(d.trial.problems().join(), /^The update to 2\.0\.0 was rolled back: .*watchdog/);
  // The slot is not started again when this one runs out of attempts.
  assert.equal(d.disk.order[0], 'a');
  // The record of this trial is not that of the next one.
  await d.install('2.0.1');
  assert.deepEqual(d.trial.problems(), []);
  await d.apply();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) d.disk.boot();
  await d.boot();
  assert.equal((await d.trial.status()).last_result?.reason?.code, 'boot_failed');
});

test('reading the slots never activates one, also while the end of a trial cannot be stored', async (t) => {
  const d = await device(t);
  await d.trial.confirm();
  await d.install('2.0.0');
  await d.apply();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) d.disk.boot();
  // The update service does not take the first activation of the fallback.
  const activate = t.mock.method(d.disk.port, 'activate');
  activate.mock.mockImplementationOnce(async () => {
    throw new Error('no');
  });
  await d.boot();
  assert.equal(activate.mock.callCount(), 1);
  const markGood = t.mock.method(d.disk.port, 'markGood');
  const before = await d.trial.status();
  assert.deepEqual(await d.trial.status(), before);
  assert.deepEqual([before.last_result, before.slots.b.state], [null, 'unknown']);
  assert.deepEqual([activate.mock.callCount(), markGood.mock.callCount()], [1, 0]);
  // Nor does a reading begin anything in an agent that has just started.
  const early = await d.start({ settle: false });
  await early.status();
  assert.deepEqual([activate.mock.callCount(), markGood.mock.callCount()], [1, 0]);
  await early.settleEarlierTrial();
  assert.equal(activate.mock.callCount(), 2);
  assert.equal((await early.status()).last_result?.outcome, 'rolled_back');
});

test('the confirmation of a boot stores the end of an earlier trial, and fails until that is stored', async (t) => {
  const d = await device(t);
  await d.install('2.0.0');
  await d.apply();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) d.disk.boot();
  const { activate } = d.disk.port;
  d.disk.port.activate = async () => {
    throw new Error('no');
  };
  await d.boot();
  await assert.rejects(d.trial.confirm(), /the end of an update could not be stored/);
  assert.equal(d.disk.attempts.a, ATTEMPTS, 'the slot is marked good all the same');
  d.disk.port.activate = activate;
  await d.trial.confirm();
  assert.equal((await d.trial.status()).last_result?.outcome, 'rolled_back');
});

test('the fallback has all its attempts, and is in the boot order, when an update is applied', async (t) => {
  const d = await device(t);
  await d.install('2.0.0');
  d.disk.attempts.a = 0;
  d.disk.order = [];
  await d.apply();
  assert.deepEqual([d.disk.order, d.disk.attempts], [['b', 'a'], { a: ATTEMPTS, b: ATTEMPTS }]);
});

test('wherever the power fails in apply, the device boots and says what happened', async (t) => {
  for (let writes = 0; writes < 8; writes += 1) {
    const d = await device(t);
    await d.trial.confirm();
    await d.install('2.0.0');
    d.disk.power = writes;
    const applied = await d.apply().then(
      () => true,
      () => false,
    );
    await d.boot();
    const { booted } = d.disk;
    if (applied) assert.equal(booted, 'b');
    if (booted === 'b') {
      await d.trial.confirm();
      assert.equal((await d.trial.status()).last_result?.outcome, 'success');
    } else {
      // The update is still there and can be applied.
      assert.equal((await d.trial.status()).pending, '2.0.0', `${writes} writes`);
      await d.apply();
      await d.boot();
      assert.equal(d.disk.booted, 'b');
    }
  }
});

test('an agent that starts after a power cut between intent and activation reports it', async (t) => {
  const d = await device(t);
  await d.install('2.0.0');
  const state = await StateFile.open(d.folder, log);
  const intent = { version: '2.0.0', activations: 0, activated: false, boot: 'boot 0', reference: null };
  await state.change({ intent: { ...intent, slot: 'b' } });
  await d.boot();
  const { last_result, pending } = await d.trial.status();
  assert.deepEqual([last_result?.outcome, last_result?.reason?.code], ['failed', 'not_started']);
  assert.equal(pending, '2.0.0');
});

/** Puts something in the place of `state.json`. */
const UNUSABLE: readonly [what: string, place: (path: string) => Promise<unknown>, reason: RegExp][] = [
  ['missing', async () => undefined, /(?:)/],
  ['of a newer schema', (path) => writeFile(path, '{"schema":2,"intent":null}'), /it has schema 2, but/],
  ['of another form', (path) => writeFile(path, '{"intent":{"slot":"c"}}'), /it has another form/],
  ['cut off', (path) => writeFile(path, '{"intent":{"slot":'), /it is not JSON/],
  ['empty', (path) => writeFile(path, ''), /it is not JSON/],
  ['a list', (path) => writeFile(path, '[]'), /it is not a JSON object/],
  ['a folder', (path) => mkdir(join(path, 'sub'), { recursive: true }), /it is not a regular file/],
  ['a pipe', async (path) => execFileSync('mkfifo', [path]), /it is not a regular file/],
];

for (const [what, place, reason] of UNUSABLE) {
  test(`a trial is not lost with its state: a file that is ${what}`, async (t) => {
    const d = await device(t);
    const lose = async () => {
      await rm(join(d.folder, 'state.json'));
      await place(join(d.folder, 'state.json'));
    };
    await d.trial.confirm();
    await d.install('2.0.0', 'action 7');
    await d.apply();
    // Before the reboot.
    await lose();
    await d.start();
    assert.throws(() => d.trial.requireNoTrial(), /about to reboot/);
    assert.match(d.trial.problems().join(), reason);
    // In the slot that is tried: the other one is still needed.
    await lose();
    await d.boot();
    assert.equal(d.disk.booted, 'b');
    assert.throws(() => d.trial.requireNoTrial(), /not confirmed yet/);
    // In the fallback.
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) d.disk.boot();
    await appendFile(join(d.folder, 'trial-boots'), 'b -\nb watchdog\nb watchdog\na watchdog\n');
    await lose();
    await d.boot();
    assert.equal(d.disk.booted, 'a');
    const { last_result, pending } = await d.trial.status();
    const { ts: _, reason: why, ...result } = last_result ?? {};
    assert.deepEqual(result, { version: '2.0.0', slot: 'b', outcome: 'rolled_back', reference: 'action 7' });
    assert.equal(why?.code, 'watchdog');
    assert.equal(pending, null);
    assert.match(d.trial.problems().join(' '), reason);
    assert.deepEqual(d.disk.order, ['a', 'b'], 'the failed slot is not tried again');
    await assert.rejects(d.apply(), hasCode('conflict'));
    // What was set aside is still there; the next update works.
    const kept = (await readdir(d.folder)).filter(
      (name) => name.startsWith('state.') && name !== 'state.json',
    );
    assert.match(kept.join(), what === 'missing' ? /^$/ : /^state\.(v2|damaged-[-\dTZ]+)\.json/);
    await d.install('2.0.1');
    await d.apply();
    await d.boot();
    await d.trial.confirm();
    assert.equal((await d.trial.status()).last_result?.outcome, 'success');
  });
}

test('a trial is known from what is left of its record', async (t) => {
  // As an older version writes it, and damaged.
  for (const trial of ['b\n', 'b\n{"version":8}\n', undefined]) {
    const d = await device(t);
    await d.install('2.0.0');
    await d.apply();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) d.disk.boot();
    await writeFile(join(d.folder, 'trial-boots'), 'b -\nb -\nb -\na -\n');
    await rm(join(d.folder, 'trial'));
    if (trial === undefined) await mkdir(join(d.folder, 'trial/sub'), { recursive: true });
    else await writeFile(join(d.folder, 'trial'), trial);
    await writeFile(join(d.folder, 'state.json'), '{');
    await d.boot();
    const { last_result } = await d.trial.status();
    assert.deepEqual([last_result?.outcome, last_result?.version], ['rolled_back', '2.0.0']);
    assert.equal(d.disk.order[0], 'a');
    assert.ok(!existsSync(join(d.folder, 'trial')) && !existsSync(join(d.folder, 'trial-boots')));
  }
});

test('folders and pipes in the place of the record of a trial do not prevent an update', async (t) => {
  const d = await device(t);
  for (const name of ['trial', 'trial-boots', 'trial-failure']) {
    if (name === 'trial-boots') execFileSync('mkfifo', [join(d.folder, name)]);
    else await mkdir(join(d.folder, name, 'sub'), { recursive: true });
  }
  await d.start();
  await d.trial.confirm();
  await d.install('2.0.0');
  await d.apply();
  await d.boot();
  await d.trial.confirm();
  assert.equal((await d.trial.status()).last_result?.outcome, 'success');
});

test('health reports a reboot that does not come', async (t) => {
  const d = await device(t);
  await d.install('2.0.0');
  await d.apply();
  assert.deepEqual(d.trial.problems(), []);
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 400_000);
  assert.match(d.trial.problems().join(), /has not rebooted/);
  await d.boot();
  assert.ok(!d.trial.problems().join().includes('has not rebooted'));
});
