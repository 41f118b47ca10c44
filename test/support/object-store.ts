/**
 * A stand-in for an S3-compatible service, for tests. It checks signatures by the published rules, from the bytes that arrive and with no
 * code of the platform. How a real service behaves beyond that, only a test against one can show.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { S3Settings } from '../../src/platform/store/files/s3.ts';

interface StoredObject {
  body: Buffer;
  type: string;
}

export interface ObjectStore {
  settings: S3Settings;
  objects: Map<string, StoredObject>;
  /** Answers the next request in the place of the store. */
  interfere(answer: (response: ServerResponse) => unknown): void;
  close(): Promise<void>;
}

/** So few that a test with a handful of files needs several pages. */
const PAGE = 2;

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Starts a service whose bucket is named in the path of a request, or in its host, which then needs a name server that knows it. */
export async function startObjectStore({ host = '127.0.0.1' } = {}): Promise<ObjectStore> {
  const objects = new Map<string, StoredObject>();
  const interferences: ((response: ServerResponse) => unknown)[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const interference = interferences.shift();
    const refusal = findRefusal(settings, request, body);
    if (interference) interference(response);
    else if (refusal) sendError(response, refusal === 'NoSuchBucket' ? 404 : 403, refusal);
    else answerRequest(settings, objects, request, { body, response });
  };
  const server = createServer((request, response) => {
    // Failure policy: a request that broke off gets no answer.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const settings: S3Settings = {
    endpoint: `http://${host}:${(server.address() as AddressInfo).port}`,
    region: 'sa-east-1',
    bucket: 'parley-files',
    addressing: isIP(host) ? 'path' : 'virtual',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'a secret of the object store',
  };
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  after(close);
  return { settings, objects, interfere: (act) => interferences.push(act), close };
}

/** The code of the refusal for a request whose signature, body or bucket is wrong; null for a right one. */
function findRefusal(settings: S3Settings, request: IncomingMessage, body: Buffer): string | null {
  const { region, bucket, addressing, accessKeyId, secretAccessKey } = settings;
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=(\w+)$/.exec(
      request.headers.authorization ?? '',
    );
  if (!found) return 'AccessDenied';
  const [, id, day = '', scopeRegion, names = '', signature] = found;
  if (id !== accessKeyId || scopeRegion !== region) return 'InvalidAccessKeyId';
  const time = String(request.headers['x-amz-date']);
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!time.startsWith(day) || !(Math.abs(Date.now() - at) < 900_000)) return 'RequestTimeTooSkewed';
  const signed = names.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return 'AccessDenied';
  const payload = String(request.headers['x-amz-content-sha256']);
  if (payload !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const lines = signed.map((name) => `${name}:${String(request.headers[name])}\n`).join('');
  const sortedQuery = query.split('&').toSorted().join('&');
  const canonical = [request.method, path, sortedQuery, lines, names, payload].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), 's3'), 'aws4_request');
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  if (hmac(key, text).toString('hex') !== signature) return 'SignatureDoesNotMatch';
  const { host = '' } = request.headers;
  const named = addressing === 'path' ? path.split('/')[1] : host.slice(0, host.indexOf('.'));
  return named === bucket ? null : 'NoSuchBucket';
}

function answerRequest(
  { bucket, addressing }: S3Settings,
  objects: Map<string, StoredObject>,
  request: IncomingMessage,
  { body, response }: { body: Buffer; response: ServerResponse },
): void {
  const url = new URL(request.url ?? '/', 'http://store');
  const key = decodeURIComponent(url.pathname.slice(addressing === 'path' ? bucket.length + 2 : 1));
  if (key === '') return listObjects(objects, url.searchParams, response);
  if (request.method === 'PUT') {
    objects.set(key, { body, type: request.headers['content-type'] ?? '' });
    return void response.end();
  }
  const object = objects.get(key);
  if (request.method === 'DELETE') objects.delete(key);
  if (request.method === 'DELETE') return void response.writeHead(204).end();
  if (!object) return sendError(response, 404, 'NoSuchKey');
  const size = object.body.length;
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  if (!range) return void response.writeHead(200, { 'content-length': size }).end(object.body);
  const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, size)];
  if (start >= size) return sendError(response, 416, 'InvalidRange');
  response.writeHead(206, { 'content-length': end - start, 'content-range': `bytes ${start}-${end - 1}/${size}` });
  response.end(object.body.subarray(start, end));
}

function listObjects(objects: Map<string, StoredObject>, query: URLSearchParams, response: ServerResponse): void {
  // A token of a real service has characters, too, that mean something else in a query.
  const given = query.get('continuation-token');
  const last = given === null ? '' : Buffer.from(given.slice(2), 'base64').toString();
  const keys = [...objects.keys()].toSorted().filter((key) => key > last);
  const page = keys.slice(0, PAGE);
  const isTruncated = keys.length > PAGE;
  const token = `+/${Buffer.from(page.at(-1) ?? '').toString('base64')}`;
  const contents = page.map(
    (key) =>
      `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><LastModified>${new Date().toISOString()}</LastModified></Contents>`,
  );
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
      `<IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}` +
      `${isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : ''}</ListBucketResult>`,
  );
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}
