import { once } from 'node:events';
import { join } from 'node:path';
import { within } from '../../testing/wait.ts';
import { connectUnix } from '../lib/unix-socket.ts';
import type { Container } from './container.ts';

const PICTURE_TIMEOUT_MS = 20_000;

/** A picture of the compositor's output, a PPM file, taken by grim. For containers with the credentials of the tests. */
export async function containerScreen({ settings }: Container): Promise<Buffer> {
  const socket = await connectUnix(join(settings.folder, 'links/screen.sock'));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  try {
    await within(once(socket, 'end'), PICTURE_TIMEOUT_MS, 'a picture of the screen');
    return Buffer.concat(chunks);
  } finally {
    socket.destroy();
  }
}
