/** Bodies of the type multipart/form-data for outgoing calls, with at most one file, which is read while it is sent. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StreamedBody } from './outbound-stream.ts';

/** A form as the body of a call, and the content type that tells its boundary. */
export interface OutboundForm {
  contentType: string;
  body: StreamedBody;
}

export interface FormFile {
  /** The name of the field that holds the file. */
  field: string;
  fileName: string;
  mimeType: string;
  /** The exact length of `content`. */
  bytes: number;
  content: Readable;
}

/** Makes a form of texts and, as its last part, a file if there is one. The file is destroyed with the body of the form. */
export function makeForm(texts: Readonly<Record<string, string>>, file: FormFile | null): OutboundForm {
  const boundary = `form-${randomUUID()}`;
  const parts = Object.entries(texts).map(
    ([field, text]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(field)}"\r\n\r\n${text}\r\n`,
  );
  const head = Buffer.from(parts.join('') + (file ? describeFile(boundary, file) : ''));
  const tail = Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      stream: joinForm(head, file?.content ?? Readable.from([]), tail),
      bytes: head.length + (file?.bytes ?? 0) + tail.length,
    },
  };
}

function describeFile(boundary: string, { field, fileName, mimeType }: FormFile): string {
  const names = `name="${escapeName(field)}"; filename="${escapeName(fileName)}"`;
  return `--${boundary}\r\ncontent-disposition: form-data; ${names}\r\ncontent-type: ${mimeType}\r\n\r\n`;
}

/** Browsers escape these three characters in this way, and servers expect it. */
const escapeName = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

/** Joins the parts into one stream. The call that sends it compares the length, so a file of another length than announced fails the call. */
function joinForm(head: Buffer, content: Readable, tail: Buffer): Readable {
  // Failure policy: the error of a file is thrown when the file is read; without a listener an earlier error would end the process.
  content.on('error', () => undefined);
  const joined = Readable.from(readParts(head, content, tail), { objectMode: false });
  return joined.on('close', () => content.destroy());
}

async function* readParts(head: Buffer, content: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* content as AsyncIterable<Buffer>;
  yield tail;
}
