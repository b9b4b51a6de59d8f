/** Whatever fails, in whatever order: an update is applied at most once, and the server learns what became of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../../testing/long-runs.ts';
import { FleetWorld } from './tests/fleet-world.ts';

const ACTS: Readonly<Record<string, (world: FleetWorld) => void>> = {
  'new action': (world) => {
    const { offered } = world;
    // gooseBit does so; hawkBit also asks to cancel.
    if (offered?.state === 'running' || offered?.state === 'canceling') offered.state = 'forgotten';
    world.actions.push({ id: `a${world.actions.length}`, state: 'running' });
  },
  cancel: ({ offered }) => {
    if (offered?.state === 'running') offered.state = 'canceling';
  },
  'network breaks': (world) => {
    world.isConnected = false;
  },
  'network is back': (world) => {
    world.isConnected = true;
  },
  'window for downloads': (world) => {
    world.mayDownload = !world.mayDownload;
  },
  'window for reboots': (world) => {
    world.mayReboot = !world.mayReboot;
  },
  'install works': (world) => {
    world.install = 'works';
  },
  'install is interrupted': (world) => {
    world.install = 'again';
  },
  'bundle is bad': (world) => {
    world.install = 'final';
  },
  'install fails': (world) => {
    world.install = 'doubtful';
  },
  'version is bad': (world) => {
    world.boots = !world.boots;
  },
  'apply conflicts': (world) => {
    world.applies = world.applies === 'conflict' ? 'works' : 'conflict';
  },
  'apply is not possible': (world) => {
    world.applies = world.applies === 'unavailable' ? 'works' : 'unavailable';
  },
  'agent restarts': (world) => world.startAgent(),
  'power is cut': (world) => world.reboot(),
  'somebody applies': (world) => world.applyByHand(),
  'power is cut in apply': (world) => world.cutInApply(),
  'trial ends': (world) => world.endTrial(),
  round: (world) => world.round(),
  step: (world) => void world.step(),
  steps: (world) => world.stepAll(),
  answer: (world) => world.answer(),
  'lost answer': (world) => world.loseAnswer(),
  'updater answers': (world) => world.answerUpdater(),
  progress: (world) => world.progress(0.5),
  'install ends': (world) => world.endInstall(),
  'apply ends': (world) => world.endApply(),
  'poll timer': (world) => world.fire('poll'),
  'retry timer': (world) => world.fire('retry'),
  configured: (world) => world.configure(),
  'file is lost': (world) => world.loseFile(),
};

/** Events of a usual round are more frequent than failures. */
const FREQUENT = [
  'round',
  'round',
  'steps',
  'answer',
  'updater answers',
  'install ends',
  'apply ends',
  'poll timer',
  'retry timer',
];
const action = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FREQUENT) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(ACTS)) },
);

test('an update is installed and applied at most once, and its true result arrives', (t) => {
  const numRuns = repetitions(3000, 100_000);
  const ends = { success: 0, failure: 0, canceled: 0 };
  let steps = 0;
  const property = fc.property(
    fc.boolean(),
    fc.array(action, { maxLength: 200, size: 'max' }),
    (isStubborn, names) => {
      const world = new FleetWorld(isStubborn);
      ACTS['new action']?.(world);
      for (const name of names) ACTS[name]?.(world);
      world.heal();
      for (const [id, reboots] of world.reboots) assert.ok(reboots <= 1, `${reboots} reboots for ${id}`);
      for (const { state } of world.actions) if (state in ends) ends[state as keyof typeof ends] += 1;
      steps += names.length;
    },
  );
  fc.assert(property, numRuns > 3000 ? { numRuns } : { numRuns, seed: 1 });
  t.diagnostic(`${steps} steps; ${JSON.stringify(ends)}`);
  assert.ok(ends.success > 0 && ends.failure > 0 && ends.canceled > 0);
});
