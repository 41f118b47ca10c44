/**
 * Answers with a file that is streamed while it is read from the database, so that a large export takes no more memory than a small one.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';

/** The answer schema of operations that return a CSV file. */
export const CSV_ANSWER = Type.Unsafe<Readable>({
  description: 'UTF-8, a comma between the cells, the first row has the titles',
  content: { 'text/csv': { schema: { type: 'string' } } },
});

/**
 * Sends a CSV file. `portions` yields texts of some hundred lines, each when the client is ready for it. When the client hangs up, no more
 * are read. When a portion fails, the connection is cut, so that the client notices that the file is incomplete.
 */
export function sendCsv(reply: FastifyReply, fileName: string, portions: AsyncGenerator<string>): Readable {
  reply.header('content-type', 'text/csv; charset=utf-8; header=present');
  reply.header('content-disposition', `attachment; filename="${fileName}"`);
  return Readable.from(portions, { highWaterMark: 1 });
}
