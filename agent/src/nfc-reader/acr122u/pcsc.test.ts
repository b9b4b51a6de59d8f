/** What the client does when its library fails; everything else of it is tested with pcscd, in the scenario nfc. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { Client, type Library, PcscError } from './pcsc.ts';

const NAME = 'ACS ACR122U PICC Interface 00 00';
const EMPTY = 0x10;
const UNSUPPORTED_FEATURE = 0x8010_001f;
const CANCELLED = 0x8010_0002;

/**
 * A library with one reader whose next waits end with these codes, and later ones when they are cancelled.
 * `contexts` has the open ones.
 */
function libraryThat(...codes: number[]) {
  const contexts = new Set<unknown>();
  let made = 0;
  let cancel = (): void => undefined;
  const unused = (): never => assert.fail('not used by the client');
  const library: Library = {
    establishContext: async (_scope, _group, _reserved, handles) => {
      made += 1;
      handles[0] = made;
      contexts.add(made);
    },
    releaseContext: async (context) => void contexts.delete(context),
    listReaders: async (context, _groups, names, length) => {
      assert.ok(contexts.has(context));
      length[0] = names.write(`${NAME}\0\0`);
    },
    getStatusChange: async (context, _timeoutMs, states) => {
      assert.ok(contexts.has(context));
      const code = codes.shift();
      if (code === undefined) {
        await new Promise<void>((resolve) => {
          cancel = resolve;
        });
      }
      for (const state of states) state.dwEventState = EMPTY;
      if (code !== 0) throw new PcscError('SCardGetStatusChange', code ?? CANCELLED, 'failed');
    },
    cancel: async () => cancel(),
    connect: unused,
    disconnect: unused,
    transmit: unused,
    control: unused,
    getAttrib: unused,
    ioRequestBytes: 16,
  };
  const client = new Client(() => library);
  const said: string[] = [];
  client.on('reader', (reader) => {
    said.push('connected');
    reader.on('disconnect', () => said.push('gone'));
  });
  client.on('error', ({ message }) => said.push(message));
  return { client, said, contexts, made: () => made };
}

test('a wait on a context that is out of step is repeated on another one, and the reader stays', async () => {
  const { client, said, contexts, made } = libraryThat(0, UNSUPPORTED_FEATURE, 0, UNSUPPORTED_FEATURE);
  client.start();
  await waitFor(() => made() === 4, { timeoutMs: 5000, what: 'a second context in place of another' });
  assert.deepEqual([said, [...contexts].sort()], [['connected'], [1, 4]]);
  client.stop();
  await waitFor(() => contexts.size === 0, { timeoutMs: 5000, what: 'the contexts to be released' });
  assert.deepEqual(said, ['connected', 'gone']);
});

test('a second one that is out of step at once ends the client', async () => {
  const { client, said, contexts } = libraryThat(0, UNSUPPORTED_FEATURE, UNSUPPORTED_FEATURE);
  client.start();
  await waitFor(() => said.length === 3, { timeoutMs: 5000, what: 'the error' });
  assert.deepEqual(said, ['connected', 'gone', 'SCardGetStatusChange: failed']);
  assert.equal(contexts.size, 0);
});
