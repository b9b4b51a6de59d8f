/** Peer of the benchmark: node:http answering with given headers and body, nothing else. */
import { createServer } from 'node:http';

const { headers, body }: { headers: Record<string, string>; body: string } = JSON.parse(
  process.argv[2] ?? '{}',
);
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
