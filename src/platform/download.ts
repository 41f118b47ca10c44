/** Answers that are files: streamed as they are read, in as little memory for a million rows as for one. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';

/** How an operation that answers with a CSV declares it. */
export const CSV_ANSWER = Type.Unsafe<Readable>({
  description: 'UTF-8, a comma between the cells, the first row has the titles',
  content: { 'text/csv': { schema: { type: 'string' } } },
});

/**
 * `portions` are texts of some hundred lines. They are asked for as the caller reads, and no further once he hangs up; when one
 * fails, the connection is cut, so that nobody takes the half for the whole.
 */
export function sendCsv(reply: FastifyReply, fileName: string, portions: AsyncGenerator<string>): Readable {
  reply.header('content-type', 'text/csv; charset=utf-8; header=present');
  reply.header('content-disposition', `attachment; filename="${fileName}"`);
  return Readable.from(portions, { highWaterMark: 1 });
}
