import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import type { WebApp } from './web-app.ts';

/**
 * Serves the web app: its page at `/` and the paths of its views, and its files. Query parameters change nothing. While
 * `ui.enabled` is false, all of it is 404.
 * @param webApp undefined if it was not built: then `/` says so
 */
export function serveUi(app: FastifyInstance, webApp: WebApp | undefined, isEnabled: () => boolean): void {
  if (!webApp) {
    app.get('/', { config: { isEnabled } }, () => {
      if (!isEnabled()) throw nothingAt('/');
      throw new ApiError('unavailable', 'The web app was not built: run `node ci/build-ui.ts`.');
    });
    return;
  }
  const { paths, files } = webApp.assets;
  const roots = Object.keys(files).filter((path) => !path.startsWith('/ui/'));
  for (const route of [...paths, ...roots, '/ui/:file']) {
    app.get(route, { config: { isEnabled: (path) => webApp.has(path) } }, async (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '';
      if (!webApp.has(path)) throw nothingAt(path);
      return await webApp.send(path, request, reply);
    });
  }
}

function nothingAt(path: string): ApiError {
  return new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
}
