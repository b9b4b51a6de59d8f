import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { PAGE_POLICY } from './answers.ts';

/** The page at `/` and the files that it loads: path, file below `agent/`, content type. */
const FILES = [
  ['/', 'ui/status/index.html', 'text/html; charset=utf-8'],
  ['/ui/status.css', 'ui/status/status.css', 'text/css; charset=utf-8'],
  ['/ui/status.js', 'ui/status/status.js', 'text/javascript; charset=utf-8'],
] as const;

export interface UiOptions {
  /** `ui.enabled` of the configuration, read for every request. */
  isEnabled: () => boolean;
  /** Reads a file that ships with the agent. */
  read: (name: string) => Promise<Buffer>;
}

/** Serves the status page at `/`; while `ui.enabled` is false, the page and its files are 404. */
export function serveUi(app: FastifyInstance, { isEnabled, read }: UiOptions): void {
  for (const [path, file, type] of FILES) {
    app.get(path, { config: { isEnabled } }, async (_request, reply) => {
      if (!isEnabled()) throw new ApiError('not_found', `There is nothing at ${path}.`);
      return reply
        .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' })
        .type(type)
        .send(await read(file));
    });
  }
}
