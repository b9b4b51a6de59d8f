/** Peer of the benchmark: Fastify alone, with the same routes, which come as JSON in the first argument. */
import fastify, { type HTTPMethods } from 'fastify';

const routes: { method: HTTPMethods; url: string }[] = JSON.parse(process.argv[2] ?? '[]');
const app = fastify();
for (const { method, url } of routes) app.route({ method, url, handler: async () => ({ ok: true }) });
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
