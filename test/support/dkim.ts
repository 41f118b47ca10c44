/** Verifies the DKIM signature of a mail as a receiving server does (RFC 6376), for the algorithm and the form that the platform uses. */
import { createHash, verify, type KeyObject } from 'node:crypto';

/** Returns the tags of the signature when it fits to the mail and the key; null otherwise. */
export function verifyDkim(raw: string, publicKey: KeyObject): Map<string, string> | null {
  const at = raw.indexOf('\r\n\r\n');
  const headers = raw.slice(0, at).split(/\r\n(?![ \t])/);
  const own = headers.find((line) => /^dkim-signature:/i.test(line));
  if (own === undefined) return null;
  const value = own.slice(own.indexOf(':') + 1);
  const tags = new Map(
    value.split(';').map((tag): [string, string] => {
      const [name = '', ...rest] = tag.split('=');
      return [name.trim(), rest.join('=').replaceAll(/\s+/g, '')];
    }),
  );
  if (tags.get('a') !== 'rsa-sha256' || tags.get('c') !== 'relaxed/relaxed') return null;
  if (
    tags.get('bh') !==
    createHash('sha256')
      .update(relaxBody(raw.slice(at + 4)), 'latin1')
      .digest('base64')
  )
    return null;
  // Of several headers with a name, the last one is signed first.
  const left = headers.filter((line) => line !== own);
  const signed = (tags.get('h') ?? '').split(':').flatMap((name) => {
    const place = left.findLastIndex((line) => line.slice(0, line.indexOf(':')).toLowerCase() === name.toLowerCase());
    return place < 0 ? [] : left.splice(place, 1).map(relaxHeader);
  });
  const text = [...signed, relaxHeader(own.replace(/(;\s*b=)[^;]*/, '$1'))].join('\r\n');
  const signature = Buffer.from(tags.get('b') ?? '', 'base64');
  return verify('sha256', Buffer.from(text, 'latin1'), publicKey, signature) ? tags : null;
}

function relaxHeader(line: string): string {
  const at = line.indexOf(':');
  const value = line
    .slice(at + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return `${line.slice(0, at).trim().toLowerCase()}:${value}`;
}

function relaxBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').trimEnd());
  const relaxed = lines.join('\r\n').replace(/(\r\n)*$/, '');
  return relaxed === '' ? '' : `${relaxed}\r\n`;
}
