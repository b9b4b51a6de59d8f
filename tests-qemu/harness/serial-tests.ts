import assert from 'node:assert/strict';
import { field } from '../../ci/client/events.ts';
import type { SerialClient } from '../../ci/client/ndjson.ts';
import { waitFor } from '../../testing/wait.ts';
import type { SerialLink } from './device.ts';
import { SERIAL_NUMBER } from './device-setup.ts';
import type { ScenarioContext } from './suite.ts';

/** Tests a serial link: opening, pipelining, invalid lines, downloads, the root shell. */
export async function testSerialLink(
  { device, test }: ScenarioContext,
  { name, open }: SerialLink,
): Promise<void> {
  /** Runs `work` with the link open. */
  const linked = (work: (serial: SerialClient) => Promise<void>) => async (): Promise<void> => {
    const serial = await open();
    try {
      await work(serial);
    } finally {
      serial.close();
    }
  };

  await test(
    `${name}: hello at every open`,
    linked(async (serial) => {
      const hello = {
        type: 'hello',
        serial: SERIAL_NUMBER,
        api: 'v1',
        name: field(await device.get('/device'), 'name'),
      };
      assert.deepEqual(await serial.frame('hello'), hello);
      serial.close();
      const again = await open();
      try {
        assert.deepEqual(await again.frame('hello'), hello);
      } finally {
        again.close();
      }
    }),
  );

  await test(
    `${name}: 200 pipelined requests each get their own response`,
    linked(async (serial) => {
      const ids = Array.from({ length: 200 }, (_, i) =>
        serial.send('GET', i % 2 === 0 ? '/api/v1/network' : `/api/v1/operations/none-${i}`),
      );
      for (const [i, id] of ids.entries()) {
        assert.equal((await serial.response(id)).status, i % 2 === 0 ? 200 : 404);
      }
    }),
  );

  await test(
    `${name}: an invalid line is answered or ignored, and the link stays usable`,
    linked(async (serial) => {
      const mark = serial.mark;
      serial.write('\n\r\n{"id":1,\n');
      assert.equal(field(await serial.frame('error', mark), 'error.code'), 'bad_frame');
      assert.equal(serial.mark, mark + 1, 'an empty line was answered');
      // A line over 1 MiB is silently ignored (interface: Limits).
      serial.write(`{"id":2,"type":"request","method":"GET","path":"${'x'.repeat(1024 * 1024)}"}\n`);
      assert.equal((await serial.request('GET', '/api/v1/device')).status, 200);
      assert.equal(serial.mark, mark + 1, 'the long line was answered');
    }),
  );

  await test(
    `${name}: a screenshot is transferred completely`,
    linked(async (serial) => {
      const { status, body_b64 = '' } = await serial.request('GET', '/api/v1/display/screenshot');
      assert.equal(status, 200);
      const png = Buffer.from(body_b64, 'base64');
      assert.equal(png.toString('latin1', 1, 4), 'PNG');
      assert.equal(png.toString('latin1', png.length - 8, png.length - 4), 'IEND');
    }),
  );

  await test(
    `${name}: the root shell, and the return to frames after exit`,
    linked(async (serial) => {
      const mark = serial.mark;
      serial.text = '';
      serial.write('{"type":"shell"}\n');
      // Wait for the prompt: a shell that initialises its line editing may drop earlier input.
      await serial.expectText(/[#$]/);
      // The sum proves that a shell computed it and the line was not just echoed.
      serial.write('echo answer=$((40+2)) uid=$(id -u)\n');
      await serial.expectText(/answer=42 uid=0/);
      serial.write('exit\n');
      await serial.frame('hello', mark);
      assert.equal((await serial.request('GET', '/api/v1/device')).status, 200);
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
