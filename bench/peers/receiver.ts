/** A healthy receiver that answers 200 at once and counts the requests. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let received = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(received));
    return;
  }
  request.resume().on('end', () => {
    received += 1;
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
