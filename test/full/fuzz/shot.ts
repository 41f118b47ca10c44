/** One request, what its answer may be, and how to repeat it by hand. */
import type { Operation } from './document.ts';

export interface Shot {
  /** Which of the fuzz's ideas this is. */
  idea: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** The operation whose answers are allowed; null for what the document does not describe. */
  operation: Operation | null;
  /** Beyond what is documented: the only statuses that are right. */
  statuses?: number[];
  /** The codes that a problem may have. */
  codes?: string[];
  /** What a VALIDATION_FAILED must name. */
  names?: string;
}

// A longer command line helps nobody; seed and number bring the request back.
const SHOWN = 4_000;

/** The request as one line for a shell. Tokens are left out: they die with the process. */
export function curlOf(shot: Shot, url: string): string {
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
