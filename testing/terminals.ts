import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Joins two pseudo terminals and prints their names. */
const JOIN = `
import os, pty, select, tty
(a, one), (b, two) = pty.openpty(), pty.openpty()
tty.setraw(one); tty.setraw(two)
print(os.ttyname(one), os.ttyname(two), flush=True)
while True:
    for ready in select.select([a, b], [], [])[0]:
        os.write(b if ready == a else a, os.read(ready, 4096))
`;

/** A serial cable: a pair of ttys that are each other's end. */
export interface Cable {
  device: string;
  host: string;
  close(): void;
}

export async function connectTerminals(): Promise<Cable> {
  const child = spawn('python3', ['-c', JOIN], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [names]: unknown[] = await once(createInterface(child.stdout), 'line');
  const [device = '', host = ''] = String(names).split(' ');
  return { device, host, close: () => void child.kill() };
}
