/** A server with node:http and pg that runs the same named query and nothing else: the upper limit of a read. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { MESSAGE } from '../../src/features/messages/queries.ts';

const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'] ?? '',
  max: 10,
  options: '-c role=parley_read -c timezone=UTC',
});
const company = process.env['COMPANY'] ?? '';
const text = `select ${MESSAGE} from messages m where m.company_id = $1 and m._id = $2`;

const server = createServer((request, response) => {
  const id = request.url?.split('/').at(-1) ?? '';
  void pool.query({ name: 'find', text, values: [company, id] }).then(({ rows }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(rows[0]));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
