import assert from 'node:assert/strict';
import { CHECKS } from '../../ci/factory/checks.ts';
import { openUnit } from '../../ci/factory/link.ts';
import { testUnit } from '../../ci/factory/run.ts';
import { createClient } from '../../client/client.ts';
import { field } from '../../testing/field.ts';
import { type Spot, waitForSpots } from '../harness/screen.ts';
import { scenario } from '../harness/suite.ts';

const ANSWER_MS = 120_000;
const REQUEST_MS = 30_000;
const PICTURE_MS = 120_000;
/** The first and the last two colour bars, and a corner mark. */
const SPOTS: Spot[] = [
  { what: 'white bar', x: 1 / 16, y: 0.3, colour: [255, 255, 255] },
  { what: 'yellow bar', x: 3 / 16, y: 0.3, colour: [255, 255, 0] },
  { what: 'blue bar', x: 13 / 16, y: 0.3, colour: [0, 0, 255] },
  { what: 'black bar', x: 15 / 16, y: 0.3, colour: [0, 0, 0] },
  { what: 'mark', x: 0.99, y: 0.01, colour: [255, 0, 0] },
];

export default scenario({
  title: 'the factory test of a unit over the serial port of the USB cable',
  needs: 'machine',
  parts: ['gadget', 'graphics'],
  machine: 'shared',
  run: async ({ device, test }) => {
    await test('the unit passes all checks, the test picture is on the screen, and the unit is restored', async () => {
      // The relay accepts one client after the other.
      await device.gadgetClosed();
      const link = await openUnit(device.paths.relay, ANSWER_MS);
      try {
        const expected = {
          version: await device.shell.ok('cat /etc/vitrine/version'),
          board: 'virt',
          minDataBytes: 0.9e9,
          maxClockError: 60,
          parts: [],
        };
        // The operator: looks at the output of the graphics card.
        const confirm = async (): Promise<boolean> => {
          await waitForSpots(() => device.screen(), SPOTS, PICTURE_MS);
          return true;
        };
        const bench = { client: createClient({ transport: link, timeoutMs: REQUEST_MS }), expected, confirm };
        const options = { checks: CHECKS, skip: [], reset: false, report: () => undefined };
        const { passed, checks } = await testUnit(bench, options);
        assert.ok(passed, JSON.stringify(checks, undefined, 2));
        const untested = checks.filter(({ result }) => result === 'not_tested').map(({ name }) => name);
        assert.deepEqual(untested, ['nfc']);
      } finally {
        await link.close();
      }
      assert.deepEqual(field(await device.get('/content'), 'bundles'), []);
      await device.waitForDisplay((state) => field(state, 'mode') === 'waiting', 'the waiting page');
    });
  },
});
