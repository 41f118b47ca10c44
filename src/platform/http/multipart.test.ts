/** Forms (multipart/form-data), tested through the import of contacts. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { buildForm, postForm } from '../../../test/support/sheets.ts';
import { countOpenUploads, skipWithoutProc as skip } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const PATH = '/v1/contacts/import';
const file = { name: 'people.csv', data: 'external_id\nAna\n' };

test('an unexpected, duplicate or wrong part of a form is refused and named', async () => {
  const refused = async (form: FormData, path: string, code: string): Promise<void> => {
    const answer = await postForm(platform, [400, PATH], form);
    expectProblem(answer, 'VALIDATION_FAILED', path);
    assert.equal(answer.body.errors[0].code, code);
  };
  await refused(buildForm({ file, surprise: '1' }), 'surprise', 'ADDITIONAL_PROPERTIES');
  await refused(buildForm({ surprise: file }), 'surprise', 'ADDITIONAL_PROPERTIES');
  await refused(buildForm({}), 'file', 'REQUIRED');
  await refused(buildForm({ file: 'external_id\nAna\n' }), 'file', 'TYPE');
  await refused(buildForm({ file, silent: 'yes' }), 'silent', 'MALFORMED');
  await refused(buildForm({ file, silent: '1' }), 'silent', 'TYPE');
  await refused(buildForm({ file, mapping: '{"__proto__":"name"}' }), 'mapping', 'MALFORMED');
  const twice = buildForm({ file, silent: 'true' });
  twice.append('silent', 'true');
  await refused(twice, 'silent', 'DUPLICATE');
  const files = buildForm({ file });
  files.append('file', new Blob(['name\nEva\n']), 'second.csv');
  await refused(files, 'file', 'DUPLICATE');
});

test('a value that is sent as a Blob, with a file name, is read like one that is sent as a text, and is as limited', async () => {
  const blob = (data: string) => ({ name: 'blob', data, type: 'application/json' });
  const { body } = await postForm(platform, [201, PATH], {
    mapping: blob('{"external_id":"external_id"}'),
    silent: blob('true'),
    country: blob('BR'),
    file,
  });
  assert.deepEqual(
    body.columns.map(({ field }: Json) => field),
    ['external_id'],
  );
  expectProblem(await postForm(platform, [400, PATH], { file, silent: blob('yes') }), 'VALIDATION_FAILED', 'silent');
  const large = blob(JSON.stringify('a'.repeat(1024 * 1024)));
  expectProblem(await postForm(platform, [413, PATH], { file, mapping: large }), 'BODY_TOO_LARGE', 'mapping');
});

test('a file that is too large is answered with 413', async () => {
  const large = Buffer.alloc(50 * 1024 * 1024 + 1, 'a');
  const refusedUpload = await postForm(platform, [413, PATH], { file: { name: 'large.csv', data: large } });
  expectProblem(refusedUpload, 'BODY_TOO_LARGE', 'file');
});

test('an upload of a gigabyte is refused soon after the limit, and the client receives the reason', async () => {
  const { sent, answer } = await streamForm(1024);
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /"path":"file"/);
  // The client can send more than the limit of 50 MB, because sockets have buffers.
  assert.ok(sent < 75, `${sent} MB were taken`);
});

test('a body that is no form is answered with 415, and an incomplete or broken form with 400', async () => {
  const { call } = platform;
  expectProblem(await call(415, 'POST', PATH, { body: { file: 'x' } }), 'UNSUPPORTED_MEDIA_TYPE');
  expectProblem(await call(415, 'POST', PATH), 'UNSUPPORTED_MEDIA_TYPE');
  const post = (raw: string, headers: Record<string, string> = {}): Promise<Json> =>
    call(400, 'POST', PATH, { raw, headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers } });
  for (const raw of [
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname\nAn',
    '--x\r\ncontent-disposition: form-data; name="silent"\r\n\r\ntrue',
    'no form at all',
    '--x',
  ]) {
    const { body } = await post(raw);
    assert.equal(body.code, 'MALFORMED_BODY', raw);
  }
  expectProblem(await post('--x--\r\n'), 'VALIDATION_FAILED', 'file');
  const bare = await call(400, 'POST', PATH, { raw: 'a', headers: { 'content-type': 'multipart/form-data' } });
  assert.equal(bare.body.code, 'MALFORMED_BODY');
  const packed = await postForm(platform, [415, PATH], { file }, { headers: { 'content-encoding': 'gzip' } });
  expectProblem(packed, 'UNSUPPORTED_MEDIA_TYPE');
});

test('an operation that takes no form refuses one with 415', async () => {
  expectProblem(await postForm(platform, [415, '/v1/contacts'], { file }), 'UNSUPPORTED_MEDIA_TYPE');
});

test('a file name is stored without its path and without control characters', async () => {
  const name = '../../etc/pass\u0001\nwd\u007f.csv';
  const raw = `--x\r\ncontent-disposition: form-data; name="file"; filename="${name.replace('\n', '')}"\r\n\r\nexternal_id\nAna\n\r\n--x--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const { body } = await platform.call(201, 'POST', PATH, { raw, headers });
  assert.equal(body.file_name, 'passwd.csv');
});

test('access is checked before the form is read', async () => {
  await postForm(platform, [401, PATH], { file }, { key: 'nobody' });
});

test('no uploaded file stays open, whether the upload succeeded, was refused, or was cut off', { skip }, async () => {
  await postForm(platform, [201, PATH], { file });
  await postForm(platform, [400, PATH], { file, surprise: '1' });
  await hangUp();
  await waitUntil('every upload to be closed', async () => (await countOpenUploads()) === 0);
  assert.ok((await platform.call(200, 'GET', '/v1/contacts')).body);
});

const head = (length: string): string =>
  `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${platform.demo.key}\r\n` +
  `content-type: multipart/form-data; boundary=x\r\n${length}\r\n\r\n`;
const PART = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';

async function hangUp(): Promise<void> {
  const { port } = new URL(platform.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${head('content-length: 1000000')}${PART}name\n`);
  await waitUntil('the upload to have begun', async () => (await countOpenUploads()) > 0);
  socket.destroy();
}

/** Sends up to this many megabytes in chunks, until the server answers. */
async function streamForm(megabytes: number): Promise<{ sent: number; answer: string }> {
  const { port } = new URL(platform.url);
  const socket = connect(Number(port), '127.0.0.1');
  const received = { answer: '', closed: false };
  socket.setEncoding('latin1').on('data', (text: string) => (received.answer += text));
  socket.on('close', () => (received.closed = true)).on('error', () => (received.closed = true));
  const isOver = (): boolean => received.closed || received.answer !== '';
  socket.write(`${head('transfer-encoding: chunked')}${PART.length.toString(16)}\r\n${PART}\r\n`);
  const piece = Buffer.alloc(1024 * 1024, 'a');
  let sent = 0;
  for (; sent < megabytes && !isOver(); sent += 1) {
    const isFree = socket.write(Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]));
    if (!isFree) await waitUntil('the socket to drain', () => isOver() || socket.writableLength < 1e5);
  }
  await waitUntil('an answer', () => received.answer.includes('"path"') || received.closed);
  socket.destroy();
  return { sent, answer: received.answer };
}
