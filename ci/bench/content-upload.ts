import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import { createClient } from '../../client/client.ts';
import { httpTransport } from '../../client/http.ts';
import { waitFor } from '../../testing/wait.ts';
import { runTool } from '../lib/tool.ts';
import { type Figure, interleaved, residentMegabytes, startAgent, stop } from './measure.ts';
import { type BenchEntry, writeBundle } from './test-bundle.ts';

const ROUNDS = 5;
const UPLOAD_MS = 60_000;

/** About 100 MB of archive: films and pictures as they are, and text that deflates to a third. */
function entries(): BenchEntry[] {
  const of = (kind: BenchEntry['kind'], count: number, bytes: number): BenchEntry[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${kind}/${index}`, bytes, kind }));
  return [
    { name: 'index.html', bytes: 2000, kind: 'text' },
    ...of('media', 15, 5_000_000),
    ...of('text', 80, 1_000_000),
  ];
}

/** Bytes that the process has had in memory at most since it was told to forget what was before, in MB. */
async function peakMegabytes(pid: number): Promise<number> {
  return (
    (Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6
  );
}

/** From the first byte that is sent until the operation is done, in ms. */
async function upload(port: number, archive: string, bytes: number): Promise<number> {
  const transport = httpTransport(`http://127.0.0.1:${port}${BASE_PATH}`, { keepAlive: true });
  const client = createClient({ transport, timeoutMs: UPLOAD_MS });
  try {
    const begun = performance.now();
    const { operation_id: id } = await client.upload(
      '/content/{name}',
      createReadStream(archive, { highWaterMark: 1024 * 1024 }),
      { params: { name: 'bench' }, headers: { 'content-length': String(bytes) } },
    );
    const state = await waitFor(
      async () => {
        const { state } = await client.get('/operations/{id}', { params: { id } });
        return state !== 'running' && state;
      },
      { timeoutMs: UPLOAD_MS, what: 'the upload to be done', intervalMs: 1 },
    );
    if (state !== 'done') throw new Error('the upload failed');
    return performance.now() - begun;
  } finally {
    await client.close();
  }
}

/** A bundle of 100 MB accepted over HTTP, against what a shell would do with the file, on the same disk. */
export async function contentUpload(agent: string, folder: string): Promise<Figure[]> {
  const archive = join(folder, 'upload.zip');
  await writeBundle(archive, entries());
  const { size } = await stat(archive);
  const copy = join(folder, 'copy.zip');
  const shell = `cat <'${archive}' >'${copy}' && sync '${copy}' && unzip -tqq '${copy}' && sha256sum '${copy}'`;
  const data = join(folder, 'upload-data');
  await mkdir(data, { recursive: true });
  const ours = await startAgent(agent, data);
  const pid = ours.child.pid ?? 0;
  try {
    const before = await residentMegabytes(pid);
    await writeFile(`/proc/${pid}/clear_refs`, '5');
    const byShell = async () => {
      const begun = performance.now();
      const { ok, output } = await runTool('sh', ['-c', shell], UPLOAD_MS);
      if (!ok) throw new Error(output);
      return performance.now() - begun;
    };
    const times = await interleaved(ROUNDS, () => upload(ours.port, archive, size), byShell);
    return [
      {
        name: `bundle of ${(size / 1e6).toFixed(0)} MB accepted`,
        ours: times.ours,
        unit: 'ms',
        peer: { name: 'cat, sync, unzip -t, sha256sum', values: times.peer },
        aim: { of: 'ratio', atMost: 1 },
      },
      {
        name: 'memory that uploads add, at most',
        ours: [(await peakMegabytes(pid)) - before],
        unit: 'MB',
        aim: { of: 'value', atMost: 32 },
      },
    ];
  } finally {
    await stop(ours);
  }
}
