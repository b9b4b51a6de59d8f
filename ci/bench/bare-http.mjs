// Peer of the benchmark: node:http answering with given headers and body, nothing else. Plain JavaScript: what takes
// the types out of a program stays in its memory, 18 MB of it.
import { createServer } from 'node:http';

const { headers, body } = JSON.parse(process.argv[2] ?? '{}');
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
