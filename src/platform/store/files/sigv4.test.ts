/** The examples that the service's own documentation publishes for Signature Version 4 of S3. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { canonicalQuery, EMPTY_HASH, signRequest } from './sigv4.ts';

const credentials = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const at = new Date('2013-05-24T00:00:00Z');

interface Example {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  signature: string;
}

const EXAMPLES: Record<string, Example> = {
  'a part of an object': {
    method: 'GET',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  'an upload': {
    method: 'PUT',
    path: '/test%24file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    body: 'Welcome to Amazon S3.',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  'a parameter without a value': {
    method: 'GET',
    path: '/?lifecycle',
    headers: {},
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  'a listing': {
    method: 'GET',
    path: '/?max-keys=2&prefix=J',
    headers: {},
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
};

test('a request of the published examples gets the published signature', () => {
  for (const [name, { method, path, headers, body, signature }] of Object.entries(EXAMPLES)) {
    const url = new URL(path, 'https://examplebucket.s3.amazonaws.com');
    const payloadHash = body === undefined ? EMPTY_HASH : createHash('sha256').update(body).digest('hex');
    const { authorization = '' } = signRequest({ method, url, headers, payloadHash }, credentials, at);
    assert.ok(authorization.endsWith(`Signature=${signature}`), `${name}: ${authorization}`);
  }
});

test('all given headers and the host are signed, and the headers of the signature are added', () => {
  const url = new URL('https://store.example:9000/bucket/key');
  const request = { method: 'PUT', url, headers: { 'Content-Type': ' image/png ' }, payloadHash: EMPTY_HASH };
  const { authorization = '', ...rest } = signRequest(request, credentials, at);
  assert.match(authorization, /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date,/);
  assert.deepEqual(rest, {
    'Content-Type': ' image/png ',
    'x-amz-content-sha256': EMPTY_HASH,
    'x-amz-date': '20130524T000000Z',
  });
});

test('the query of a signed request is sorted by name, and every character but letters, digits and -._~ is encoded', () => {
  assert.equal(
    canonicalQuery([
      ['b', "a +/='*"],
      ['a-b', 'ç~'],
      ['a', '2'],
      ['a', '1'],
    ]),
    'a=1&a=2&a-b=%C3%A7~&b=a%20%2B%2F%3D%27%2A',
  );
  assert.equal(canonicalQuery([]), '');
});
