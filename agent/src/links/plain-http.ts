/** Answers requests in plain HTTP that arrive at a port of HTTPS. Without an answer, clients say only that it is empty. */
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { ApiError } from '../contract/errors.ts';
import { answerRaw } from './http.ts';

/** The first byte of a TLS connection: a record of type handshake (RFC 8446 section 5.1). */
const HANDSHAKE = 22;

/**
 * Looks at the first byte of each connection before TLS does.
 * @param timeoutMs for that byte to arrive, in ms
 */
export function refusePlainHttp(server: Server, timeoutMs: number): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const take = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on('connection', (socket: Socket) => {
    const drop = () => void socket.destroy();
    socket.setTimeout(timeoutMs, drop).on('error', drop);
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1);
      if (!first) return drop();
      socket.setTimeout(0).off('timeout', drop).off('error', drop);
      socket.unshift(first);
      if (first[0] === HANDSHAKE) return take(socket);
      const advice =
        'This port speaks HTTPS. Use https:// in the address, or the port of HTTP, which is usually 80.';
      answerRaw(socket, new ApiError('bad_request', advice));
    });
  });
}
