/** Builds forms as text, always the same for the same parts, because answers are compared byte by byte. */
import type { Json } from '../../support/platform.ts';

const BOUNDARY = 'matrix-boundary';
const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Builds the form; `file` is the text of a file, and a value that is no text is sent as JSON. */
export function buildForm(parts: Json, fileName = 'sheet.csv'): { raw: string; headers: Record<string, string> } {
  const texts = Object.entries<Json>(parts).map(([name, value]) => {
    const isFile = name === 'file' ? `; filename="${fileName}"\r\nContent-Type: text/csv` : '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${isFile}\r\n\r\n${text}\r\n`;
  });
  return { raw: `${texts.join('')}--${BOUNDARY}--\r\n`, headers: HEADERS };
}
