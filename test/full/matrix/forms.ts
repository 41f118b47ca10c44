/** Builds forms, always the same for the same parts, because answers are compared byte by byte. */
import type { Json } from '../../support/platform.ts';

const BOUNDARY = 'matrix-boundary';
const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Builds the form; `file` is a file: its text, or `{base64}` for other bytes. Another value that is no text is sent as JSON. */
export function buildForm(
  parts: Json,
  fileName = 'sheet.csv',
): { raw: Buffer<ArrayBuffer>; headers: Record<string, string> } {
  const pieces = Object.entries<Json>(parts).flatMap(([name, value]) => {
    const isFile = name === 'file' ? `; filename="${fileName}"\r\nContent-Type: text/csv` : '';
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${isFile}\r\n\r\n`;
    return [Buffer.from(head), readBytes(value), Buffer.from('\r\n')];
  });
  return { raw: Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]), headers: HEADERS };
}

function readBytes(value: Json): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  return typeof value?.base64 === 'string' ? Buffer.from(value.base64, 'base64') : Buffer.from(JSON.stringify(value));
}
