import assert from 'node:assert/strict';
import type { SerialChannel } from '../../client/serial.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { SerialLink } from './device.ts';
import { SERIAL_NUMBER } from './device-setup.ts';
import type { ScenarioContext } from './suite.ts';

/** Waits until the text that was received since it was last cleared matches. */
async function receiveText(serial: SerialChannel, pattern: RegExp): Promise<void> {
  await waitFor(() => pattern.test(serial.text), {
    timeoutMs: 90_000,
    what: `${pattern} on serial; the last received is ${JSON.stringify(serial.text.slice(-300))}`,
    intervalMs: 20,
  });
}

/** Tests a serial link: opening, pipelining, invalid lines, downloads, the root shell. */
export async function testSerialLink(
  { device, test }: ScenarioContext,
  { name, open }: SerialLink,
): Promise<void> {
  /** Runs `work` with the link open. */
  const linked = (work: (serial: SerialChannel) => Promise<void>) => async (): Promise<void> => {
    const serial = await open();
    try {
      await work(serial);
    } finally {
      await serial.close();
    }
  };

  await test(
    `${name}: hello at every open`,
    linked(async (serial) => {
      const facts = await device.get('/device');
      const hello = {
        type: 'hello',
        serial: SERIAL_NUMBER,
        api: 'v1',
        name: field(facts, 'name'),
        model: field(facts, 'model'),
        version: field(facts, 'version'),
      };
      assert.deepEqual(await serial.frame('hello'), hello);
      await serial.close();
      const again = await open();
      try {
        assert.deepEqual(await again.frame('hello'), hello);
      } finally {
        await again.close();
      }
    }),
  );

  await test(
    `${name}: 200 pipelined requests each get their own response`,
    linked(async (serial) => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          serial.request('GET', i % 2 === 0 ? '/network' : `/operations/none-${i}`),
        ),
      );
      for (const [i, { status }] of answers.entries()) assert.equal(status, i % 2 === 0 ? 200 : 404);
    }),
  );

  await test(
    `${name}: an invalid line is answered or ignored, and the link stays usable`,
    linked(async (serial) => {
      const { mark } = serial.others;
      serial.write('\n\r\n{"id":1,\n');
      assert.equal(field(await serial.frame('error', mark), 'error.code'), 'bad_frame');
      assert.equal(serial.others.mark, mark + 1, 'an empty line was answered');
      // A line over 1 MiB is silently ignored (docs/api.md: Limits).
      serial.write(`{"id":2,"type":"request","method":"GET","path":"${'x'.repeat(1024 * 1024)}"}\n`);
      assert.equal((await serial.request('GET', '/device')).status, 200);
      assert.equal(serial.others.mark, mark + 1, 'the long line was answered');
    }),
  );

  await test(
    `${name}: a screenshot is transferred completely`,
    linked(async (serial) => {
      const { status, bytes: png } = await serial.request('GET', '/display/screenshot');
      assert.equal(status, 200);
      assert.equal(png.toString('latin1', 1, 4), 'PNG');
      assert.equal(png.toString('latin1', png.length - 8, png.length - 4), 'IEND');
    }),
  );

  await test(
    `${name}: the root shell, and the return to frames after exit`,
    linked(async (serial) => {
      const { mark } = serial.others;
      serial.text = '';
      serial.write('{"type":"shell"}\n');
      // Wait for the prompt: a shell that initialises its line editing may drop earlier input.
      await receiveText(serial, /[#$]/);
      // The sum proves that a shell computed it and the line was not just echoed.
      serial.write('echo answer=$((40+2)) uid=$(id -u)\n');
      await receiveText(serial, /answer=42 uid=0/);
      serial.write('exit\n');
      await serial.frame('hello', mark);
      assert.equal((await serial.request('GET', '/device')).status, 200);
      // The agent logs the start of the shell under its own name.
      const opened = (record: unknown): boolean =>
        field(record, 'message') === 'support shell opened' && field(record, 'source') === 'vitrine-agent';
      const isLogged = async (): Promise<boolean> => {
        const records = await device.get('/device/logs?limit=500');
        return Array.isArray(records) && records.some(opened);
      };
      await waitFor(isLogged, { timeoutMs: 30_000, what: 'the record of the shell' });
    }),
  );
}
