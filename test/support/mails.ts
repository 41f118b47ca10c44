/** Writes mails for tests as mail programs send them. */

/** Returns a mail with these headers and body. */
export const writeMail = (headers: Record<string, string>, body: string): string =>
  [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body]
    .join('\n')
    .replaceAll(/\r?\n/g, '\r\n');

export interface SamplePart {
  headers: Record<string, string>;
  body: string;
}

/** Returns a mail of several parts; `type` is what stands behind `multipart/`. */
export function writeMultipart(headers: Record<string, string>, type: string, parts: SamplePart[]): string {
  const boundary = 'a-boundary-of-the-sample';
  const written = parts.map((part) => `--${boundary}\r\n${writeMail(part.headers, part.body)}\r\n`);
  return writeMail(
    { ...headers, 'MIME-Version': '1.0', 'Content-Type': `multipart/${type}; boundary="${boundary}"` },
    `${written.join('')}--${boundary}--\n`,
  );
}

/** The headers of a mail of a person to a shop. */
export const SAMPLE_HEADERS: Record<string, string> = {
  From: 'Ana Sá <Ana@Client.example>',
  To: 'support@shop.example',
  Subject: 'Where is my order?',
  Date: 'Mon, 02 Nov 2026 10:00:00 -0300',
  'Message-ID': '<first@client.example>',
};
