/** A request of the fuzz, the answers that it may get, and how to repeat it by hand. */
import type { Operation } from './document.ts';

export interface FuzzRequest {
  /** The kind of request that the fuzz chose. */
  idea: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** The operation, whose documented answers are allowed; null for requests that the document does not describe. */
  operation: Operation | null;
  /** The statuses that are right, where the fuzz knows more than the document. */
  statuses?: number[];
  /** The codes that a problem may have. */
  codes?: string[];
  /** The field that a VALIDATION_FAILED must name. */
  names?: string;
}

// A longer command line is of no use: the seed and the number repeat the request.
const SHOWN = 4_000;

/** Formats the request as a shell command. Tokens are left out, because they are valid only for this process. */
export function formatCurl(shot: FuzzRequest, url: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers = Object.entries(shot.headers).map(([name, value]) => {
    const shown = name === 'authorization' ? 'Bearer $KEY' : value;
    return name === 'authorization' ? `-H "authorization: ${shown}"` : `-H ${quoted(`${name}: ${shown}`)}`;
  });
  const target = quoted(url + shot.path);
  const line = ['curl', '--path-as-is', '-X', shot.method, ...headers, target].join(' ');
  if (!shot.body) return line;
  const text = shot.body.toString('utf8');
  const isPlain = /^[\x20-\x7e]*$/.test(text);
  if (text.length > SHOWN)
    return `${line} --data-binary … # ${shot.body.length} bytes, beginning ${text.slice(0, 100)}`;
  if (isPlain) return `${line} --data-binary ${quoted(text)}`;
  return `echo ${shot.body.toString('base64')} | base64 -d | ${line} --data-binary @-`;
}
