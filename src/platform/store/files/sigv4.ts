/** Signs requests to S3-compatible services (AWS Signature Version 4). */
import { createHash, createHmac, type BinaryLike } from 'node:crypto';

export interface S3Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface UnsignedRequest {
  method: string;
  /** Its path is percent-encoded already; its query has to be the one of canonicalQuery(). */
  url: URL;
  headers: Record<string, string>;
  /** The SHA-256 of the body, in hex. */
  payloadHash: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: BinaryLike, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The hash of a request without a body. */
export const EMPTY_HASH = sha256('');

/** Returns the headers of the request with those of the signature. All of them are signed, and so is the host. */
export function signRequest(request: UnsignedRequest, credentials: S3Credentials, at: Date): Record<string, string> {
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const headers = { ...request.headers, 'x-amz-content-sha256': request.payloadHash, 'x-amz-date': time };
  const signed = Object.entries({ ...headers, host: request.url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .toSorted(([a], [b]) => compare(a, b));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    request.payloadHash,
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${credentials.region}/s3/aws4_request`;
  const signature = hmac(signingKey(credentials, scope), [ALGORITHM, time, scope, sha256(canonical)].join('\n'));
  const authorization =
    `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope},` +
    `SignedHeaders=${names},Signature=${signature.toString('hex')}`;
  return { ...headers, authorization };
}

/**
 * Returns the query in the only format that the signature allows: sorted, and with all characters encoded except letters, digits and
 * `-._~`.
 */
export function canonicalQuery(parameters: Iterable<[string, string]>): string {
  return [...parameters]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Compares by code units; the order of a language would differ from the service's. */
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

function signingKey({ secretAccessKey }: S3Credentials, scope: string): Buffer {
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretAccessKey}`));
}
