/** Update bundles, and what scenarios do with them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { constants, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { type BundleRequest, makeBundle } from '../../ci/bundle/make.ts';
import { bundleArguments } from '../../ci/bundle.ts';
import { runInBuilder } from '../../ci/image/builder.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { HttpAnswer } from '../../client/http.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';
import type { TestUpdate } from './power-loss/workload.ts';

const COMPATIBLE = 'vitrine-virt';
const SIGNERS = '/src/ci/bundle/checks/authorities.sh';
/** Usual size of a root file system with random content, in bytes. */
const SMALL_BYTES = 2 ** 20;
const SEND_MS = 10 * 60_000;
const INSTALL_MS = 20 * 60_000;
/** Three failed starts and a boot, or a start until its deadline and a boot, on a busy computer. */
const RESULT_MS = 20 * 60_000;

/** A signer of ci/bundle/checks/authorities.sh. */
type Signer = 'first' | 'second' | 'expired' | 'other';

interface Content {
  signer?: Signer;
  compatible?: string;
  /** Of the root file system. */
  bytes?: number;
}

/** A bundle whose "system" is random bytes. It has no block index, which would only cost time. */
async function randomBundle(
  folder: string,
  bytes: number,
  request: Pick<BundleRequest, 'compatible' | 'version' | 'cert' | 'key'>,
): Promise<Buffer> {
  const [rootfs, output] = [join(folder, 'rootfs.ext4'), join(folder, 'random.raucb')];
  try {
    await writeFile(rootfs, randomBytes(bytes));
    await makeBundle({ ...request, rootfs, adaptive: false, verify: 'none', output });
    return await readFile(output);
  } finally {
    await Promise.all([rootfs, output].map((path) => rm(path, { force: true })));
  }
}

/** Small bundles whose "system" is random bytes, signed by a test authority. */
export class SmallBundles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** The signers are made once for each image. */
  static async prepare(image: BuiltImage): Promise<SmallBundles> {
    const folder = join(dirname(image.disk), 'test-signers');
    const ready = join(folder, 'ready');
    if (!existsSync(ready)) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await runInBuilder(folder, [SIGNERS]);
      await writeFile(ready, '');
    }
    return new SmallBundles(folder);
  }

  /** Certificate of the authority of all signers but `other`, PEM. */
  async authority(): Promise<string> {
    return await readFile(join(this.#folder, '1/authority.pem'), 'utf8');
  }

  /** A keyring of that authority with a CRL that revokes `first`. */
  async keyringWithoutFirst(): Promise<string> {
    return await readFile(join(this.#folder, 'keyring-1-revoked'), 'utf8');
  }

  keyPair(signer: Signer): Pick<BundleRequest, 'cert' | 'key'> {
    return { cert: join(this.#folder, `${signer}.pem`), key: join(this.#folder, `${signer}.key`) };
  }

  async make(
    version: string,
    { signer = 'first', compatible = COMPATIBLE, bytes = SMALL_BYTES }: Content = {},
  ) {
    return await randomBundle(this.#folder, bytes, { compatible, version, ...this.keyPair(signer) });
  }

  /** Makes the device accept the bundles of `first`, besides those of its own keyring, until it reboots. */
  async trust(device: Device): Promise<void> {
    await device.shell.ok(`
      cp /etc/rauc/keyring.pem /run/keyring.pem && cat >>/run/keyring.pem <<'EOF'
${await this.authority()}EOF
      mount --bind /run/keyring.pem /etc/rauc/keyring.pem`);
  }
}

/** Small bundles without a system, which every image accepts that has the development key in its keyring. */
export async function developmentUpdates(
  folder: string,
  versions: readonly [string, ...string[]],
): Promise<[TestUpdate, ...TestUpdate[]]> {
  const { cert, key } = bundleArguments([], {});
  await mkdir(folder, { recursive: true });
  try {
    const make = async (version: string) => ({
      version,
      bytes: await randomBundle(folder, SMALL_BYTES, { compatible: COMPATIBLE, version, cert, key }),
    });
    const [first, ...rest] = versions;
    const made: [TestUpdate, ...TestUpdate[]] = [await make(first)];
    for (const version of rest) made.push(await make(version));
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `cert` and `key` of the signer: by default the development key. */
type ChangedBundleOptions = Partial<Pick<BundleRequest, 'cert' | 'key' | 'adaptive'>>;

/**
 * The bundle of the image with another version. It is kept beside the image for the next call with the same parameters.
 * @param changes of text files of the image, by path
 */
export async function changedBundle(
  image: BuiltImage,
  version: string,
  changes: Readonly<Record<string, (text: string) => string>> = {},
  { adaptive = true, ...signer }: ChangedBundleOptions = {},
): Promise<string> {
  const { cert, key } = { ...bundleArguments([], {}), ...signer };
  const folder = dirname(image.disk);
  const original = join(folder, 'rootfs.ext4');
  const config = '/etc/rauc/system.conf';
  const withVersion = (text: string) => text.replace(/^(min-bundle-version)=.*/m, `$1=${version}`);
  const all: typeof changes = {
    ...changes,
    '/etc/vitrine/version': () => `${version}\n`,
    [config]: (text) => withVersion(changes[config]?.(text) ?? text),
  };
  const files = Object.entries(all).map(([path, change]) => ({
    path,
    text: change(debugfs('-R', `cat ${path}`, original)),
  }));
  const digest = createHash('sha256')
    .update(JSON.stringify([files, adaptive, await readFile(cert, 'utf8')]))
    .digest('hex');
  const work = join(folder, `changed-${digest.slice(0, 16)}`);
  const output = `${work}.raucb`;
  if (existsSync(output)) return output;
  const [rootfs, file] = [`${work}.ext4`, `${work}.txt`];
  await copyFile(original, rootfs, constants.COPYFILE_FICLONE);
  try {
    for (const { path, text } of files) {
      await writeFile(file, text);
      debugfs('-w', '-R', `rm ${path}`, rootfs);
      debugfs('-w', '-R', `write ${file} ${path}`, rootfs);
    }
    // The keyring of the running slot decides, not that of the new system.
    await makeBundle({ cert, key, adaptive, verify: 'none', compressionLevel: 1, rootfs, output });
  } finally {
    await Promise.all([rootfs, file].map((path) => rm(path, { force: true })));
  }
  return output;
}

function debugfs(...options: string[]): string {
  return execFileSync('/usr/sbin/debugfs', options, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26 });
}

/** Serves a file, also in ranges, and counts the bytes of its content. */
export async function serveFile(path: string): Promise<{ server: Server; url: string; sent: () => number }> {
  const { size } = await stat(path);
  let sent = 0;
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(from ?? 0);
    const end = to ? Math.min(Number(to), size - 1) : size - 1;
    response.writeHead(from === undefined ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': end - start + 1,
      ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    });
    if (request.method === 'HEAD') return void response.end();
    const body = createReadStream(path, { start, end });
    body.on('data', (chunk) => {
      sent += chunk.length;
    });
    body.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { server, url: `http://${HOST_ADDRESS}:${port}/update.raucb`, sent: () => sent };
}

/** Sends a bundle: its bytes, or a file's path. */
export async function putBundle(device: Device, bundle: Buffer | string): Promise<HttpAnswer> {
  const isPath = typeof bundle === 'string';
  const length = isPath ? (await stat(bundle)).size : bundle.length;
  return await device.http('PUT', '/update/bundle', {
    raw: isPath ? createReadStream(bundle) : bundle,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
    timeoutMs: SEND_MS,
  });
}

/** Waits until an operation has ended, and returns it. The device may not answer in between. */
export async function operationEnd(device: Device, id: unknown, intervalMs = 500): Promise<unknown> {
  let operation: unknown;
  await waitFor(
    async () => {
      const { body } = await device.http('GET', `/operations/${id}`).catch(() => ({ body: undefined }));
      operation = body;
      return ['done', 'failed'].includes(String(field(body, 'state')));
    },
    { timeoutMs: INSTALL_MS, what: 'the end of the installation', intervalMs },
  );
  return operation;
}

/** Sends a bundle and waits until it is installed. */
export async function install(device: Device, bundle: Buffer | string): Promise<void> {
  const { status, body } = await putBundle(device, bundle);
  assert.equal(status, 202, JSON.stringify(body));
  const operation = await operationEnd(device, field(body, 'operation_id'));
  assert.equal(field(operation, 'state'), 'done', JSON.stringify(operation));
}

/**
 * Sends a bundle that must be refused.
 * @returns the error's message: of the answer, or of the operation
 */
export async function refusal(device: Device, bundle: Buffer | string): Promise<string> {
  const { status, body } = await putBundle(device, bundle);
  if (status === 202) {
    const operation = await operationEnd(device, field(body, 'operation_id'));
    assert.equal(field(operation, 'error.error.code'), 'bundle_invalid', JSON.stringify(operation));
    return String(field(operation, 'error.error.message'));
  }
  assert.deepEqual([status, field(body, 'error.code')], [400, 'bundle_invalid'], JSON.stringify(body));
  return String(field(body, 'error.message'));
}

/** Applies what is installed, and waits until a slot was confirmed or given up. Returns `GET /update`. */
export async function applyAndWait(device: Device): Promise<unknown> {
  return await resultAfter(device, () => device.act('POST', '/update/apply'));
}

/** Does something that leads to `apply`, and waits as {@link applyAndWait} does. */
export async function resultAfter(device: Device, act: () => Promise<unknown>): Promise<unknown> {
  const before = field(await device.get('/update'), 'last_result.ts');
  const stop = device.host.onRestart(() => device.shell.restarted());
  let status: unknown;
  try {
    await act();
    await waitFor(
      async () => {
        const answer = await device.http('GET', '/update', { timeoutMs: 5000 }).catch(() => undefined);
        status = answer?.status === 200 ? answer.body : status;
        const ts = field(status, 'last_result.ts');
        return ts !== undefined && ts !== before;
      },
      { timeoutMs: RESULT_MS, what: 'the result of the update', intervalMs: 1000 },
    );
  } finally {
    stop();
  }
  await device.waitUp();
  return status;
}

/** Runs a script with the other slot's file system mounted writable, in its root folder. */
export async function inSlot(device: Device, slot: 'a' | 'b', script: string): Promise<void> {
  await device.shell.ok(`
    mkdir -p /run/other-slot
    mount -t ext4 -o rw /dev/disk/by-partlabel/rootfs-${slot} /run/other-slot
    status=0; (cd /run/other-slot && ${script}) || status=$?
    umount /run/other-slot
    exit $status`);
}

/** U-Boot's variables as read by the running system. */
export async function bootVariables(device: Device): Promise<Record<string, string>> {
  const output = await device.shell.ok('fw_printenv');
  return Object.fromEntries(
    output
      .split('\n')
      .map((line) => line.split('='))
      .map(([name = '', value = '']) => [name, value]),
  );
}
