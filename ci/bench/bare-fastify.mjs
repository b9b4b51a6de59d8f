// Peer of the benchmark: Fastify alone, with the same routes, which come as JSON in the first argument. Plain
// JavaScript, as the agent's bundle is: taking the types out of a program would count as its start.
import fastify from 'fastify';

const routes = JSON.parse(process.argv[2] ?? '[]');
const app = fastify();
for (const { method, url } of routes) app.route({ method, url, handler: async () => ({ ok: true }) });
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
