/**
 * A load generator that costs little itself: keep-alive connections, one request in flight on each, answers
 * counted by their length. Run as a process of its own: `load.ts PORT PATH SECONDS|xCOUNT CONNECTIONS`.
 */
import { connect } from 'node:net';

const [port = '', path = '', amount = '', connections = ''] = process.argv.slice(2);
const wanted = amount.startsWith('x') ? Number(amount.slice(1)) : Infinity;
const until = amount.startsWith('x') ? Infinity : performance.now() + Number(amount) * 1000;
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
let answered = 0;
let open = Number(connections);
const begun = performance.now();

function finish(): void {
  const seconds = (performance.now() - begun) / 1000;
  console.log(JSON.stringify({ requests: answered, perSecond: answered / seconds }));
}

for (let i = 0; i < Number(connections); i++) {
  const socket = connect(Number(port), '127.0.0.1');
  socket.setNoDelay(true);
  let size = 0; // bytes of one answer, learned from the first: every answer of a run has the same length
  let received = 0;
  socket.on('connect', () => socket.write(request));
  socket.on('data', (chunk) => {
    if (size === 0) {
      const text = chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0 || !text.startsWith('HTTP/1.1 200'))
        throw new Error(`unexpected answer: ${text.slice(0, 200)}`);
      size = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1]);
    }
    received += chunk.length;
    while (received >= size) {
      received -= size;
      answered += 1;
      if (answered >= wanted || performance.now() >= until) {
        socket.end();
        open -= 1;
        if (open === 0) finish();
        return;
      }
      socket.write(request);
    }
  });
}
