import { createServer } from 'node:http';
import { HOST_ADDRESS } from './arguments.ts';

/** Serves `file` over HTTP while `work` runs. `work` gets the URL for the device. */
export async function served<T>(file: Buffer, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_request, response) => response.end(file));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const address = server.address();
    if (typeof address !== 'object' || !address) throw new Error('the server of the file has no address');
    return await work(`http://${HOST_ADDRESS}:${address.port}/file`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
