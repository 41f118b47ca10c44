/** Attachments through the API: what is accepted and refused, the record, the list, and removing. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { UPLOAD, uploadFile, uploadForm, type UploadedParts } from '../../../test/support/attachments.ts';
import {
  makeJpg,
  makeMp4,
  makePng,
  makeRecordedMp4,
  makeSamples,
  makeWebp,
} from '../../../test/support/media-samples.ts';
import { startPlatform, type Answer, type Json } from '../../../test/support/platform.ts';
import { checkRefusals, expectProblem } from '../../../test/support/refusals.ts';
import { postForm } from '../../../test/support/sheets.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';
import { makePhoneNumber } from '../../../test/support/network.ts';
import { countOpenUploads, skipWithoutProc as skip } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { newId } from '../../platform/values/ids.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const PATH = '/v1/resource/attachments';
const samples = await makeSamples();

const upload = (parts: UploadedParts, key = demo.key): Promise<Json> => uploadFile(platform, parts, key);
const refuse = (status: number, parts: UploadedParts): Promise<Answer> =>
  postForm(platform, [status, UPLOAD], uploadForm(parts));

/** The names of all files that are in the store. */
async function listStore(): Promise<string[]> {
  const entries = await readdir(join(platform.dataDir, 'files'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
const countRecords = async (): Promise<number> =>
  (await database.sql<{ count: number }>('select count(*)::int as count from attachments'))[0]?.count ?? 0;

describe('an upload', () => {
  for (const { format, fileType, mimeType, extension, data } of samples) {
    test(`a ${format} is stored as ${fileType}, whatever its name and media type claim`, async () => {
      const attachment = await upload({ data, name: `holiday.${extension}`, type: 'text/html' });
      const { _id, createdAt, updatedAt, external_url, storage_key, meta } = attachment;
      const { width, height, duration, codecs, sha256, ...rest } = meta;
      assert.deepEqual(attachment, {
        _id,
        company: demo._id,
        extension,
        external_url,
        file_type: fileType,
        storage_key,
        meta,
        createdAt,
        updatedAt,
      });
      const resourceUrl = external_url;
      assert.deepEqual(rest, { mimeType, size: data.length, fileName: `holiday.${extension}`, resourceUrl });
      assert.match(sha256, /^[0-9a-f]{64}$/);
      assert.equal(width !== undefined && height !== undefined, ['IMAGE', 'VIDEO'].includes(fileType));
      assert.equal(duration !== undefined && codecs !== undefined, ['AUDIO', 'VIDEO'].includes(fileType));
      assert.ok(storage_key.startsWith(`${demo._id}/attachments/`));
      assert.ok(
        external_url.startsWith(`${platform.url}/files/${demo._id}/`) && external_url.endsWith(`.${extension}`),
      );
      assert.deepEqual((await call(200, 'GET', `${PATH}/${_id}`)).body, attachment);
    });

    test(`a ${format} with the type of another format is refused, and nothing of it is stored`, async () => {
      const before = await countRecords();
      const types = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'];
      for (const other of types.filter((type) => type !== fileType && !(format === 'WEBP' && type === 'STICKER'))) {
        const answer = await refuse(400, { data, fileType: other });
        expectProblem(answer, 'VALIDATION_FAILED', 'fileType');
        assert.equal(answer.body.errors[0].code, 'TYPE_MISMATCH');
      }
      assert.equal(await countRecords(), before);
    });
  }

  test('a WEBP file is stored as IMAGE unless the caller asks for STICKER', async () => {
    assert.equal((await upload({ data: makeWebp() })).file_type, 'IMAGE');
    assert.equal((await upload({ data: makeWebp(), fileType: 'IMAGE' })).file_type, 'IMAGE');
    assert.equal((await upload({ data: makeWebp(), fileType: 'STICKER' })).file_type, 'STICKER');
  });

  test('an MP4 file with only sound, as browsers record it, is stored as AUDIO', async () => {
    const { file_type, extension, meta } = await upload({ data: await makeRecordedMp4(), fileType: 'AUDIO' });
    assert.deepEqual([file_type, extension, meta.mimeType, meta.codecs], ['AUDIO', 'm4a', 'audio/mp4', ['opus']]);
  });

  test('an upload repeated with its Idempotency-Key stores one file, and another file with the same key is answered 422', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const parts = uploadForm({ data: makePng(), name: 'once.png' });
    const first = await postForm(platform, [201, UPLOAD], parts, { headers });
    const stored = (await listStore()).length;
    const second = await postForm(platform, [201, UPLOAD], parts, { headers });
    assert.deepEqual(second.body, first.body);
    assert.equal((await listStore()).length, stored);
    const other = await postForm(platform, [422, UPLOAD], uploadForm({ data: makeJpg() }), { headers });
    expectProblem(other, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('an upload without a token or its scope is refused before the file is read', async () => {
    const reader = await platform.createKey(demo._id, ['attachments:read', 'attachments:delete']);
    expectProblem(
      await postForm(platform, [401, UPLOAD], uploadForm({ data: 'x' }), { key: 'nobody' }),
      'UNAUTHORIZED',
    );
    expectProblem(
      await postForm(platform, [403, UPLOAD], uploadForm({ data: 'x' }), { key: reader.token }),
      'FORBIDDEN',
    );
    expectProblem(await call(415, 'POST', UPLOAD, { body: { file: 'x' } }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('an upload has an entry in the audit that names the attachment', async () => {
    const { _id } = await upload({ data: 'Olá' });
    const { result } = (await call(200, 'GET', `/v1/audit?resource=${_id}`)).body;
    assert.deepEqual(
      result.map(({ action }: Json) => action),
      ['attachments.create'],
    );
  });
});

describe('a file that is refused', () => {
  const nested = Buffer.alloc(800_000);
  for (let at = 0; at < nested.length; at += 8) {
    nested.writeUInt32BE(nested.length - at, at);
    nested.write('moov', at + 4, 'latin1');
  }
  const MB = 1024 * 1024;

  test('a file that is disguised, incomplete, a decompression bomb, empty or too large is refused with its own error, and nothing of it is stored', async () => {
    const ftyp = (await makeMp4()).subarray(0, 32);
    const before = await listStore();
    const cases: [parts: UploadedParts, status: number, path: string, code: string][] = [
      [{ data: '' }, 400, 'file', 'EMPTY'],
      [{ data: Buffer.from('MZ\x90\0\x03\0', 'latin1') }, 400, 'file', 'UNSUPPORTED_FORMAT'],
      [{ data: Buffer.from('José', 'latin1'), name: 'a.txt' }, 400, 'file', 'UNSUPPORTED_FORMAT'],
      [{ data: 'NUL \0', name: 'a.txt' }, 400, 'file', 'UNSUPPORTED_FORMAT'],
      [{ data: makePng(60_000, 60_000) }, 400, 'file', 'DIMENSIONS'],
      [{ data: makeJpg().subarray(0, 100) }, 400, 'file', 'MALFORMED'],
      [{ data: Buffer.concat([ftyp, nested]) }, 400, 'file', 'MALFORMED'],
      [{ data: Buffer.concat([makePng(), Buffer.alloc(5 * MB)]) }, 413, 'file', 'TOO_LARGE'],
      [{ data: Buffer.concat([makeWebp(), Buffer.alloc(500 * 1024)]), fileType: 'STICKER' }, 413, 'file', 'TOO_LARGE'],
      [{ data: Buffer.alloc(6 * MB, 'a'), fileType: 'IMAGE' }, 413, 'file', 'TOO_LARGE'],
      [{ data: 'x', fileType: 'PICTURE' }, 400, 'fileType', 'ENUM'],
    ];
    for (const [parts, status, path, code] of cases) {
      const answer = await refuse(status, parts);
      expectProblem(answer, status === 413 ? 'BODY_TOO_LARGE' : 'VALIDATION_FAILED', path);
      assert.equal(answer.body.errors[0].code, code, JSON.stringify(answer.body));
    }
    expectProblem(await postForm(platform, [400, UPLOAD], { fileType: 'IMAGE' }), 'VALIDATION_FAILED', 'file');
    assert.deepEqual(await listStore(), before);
  });

  test('a text keeps the extension and the media type of its name, unless a browser could run it', async () => {
    const kinds: [string, string, string][] = [
      ['planilha.csv', 'csv', 'text/csv'],
      ['nota.xml', 'xml', 'application/xml'],
      ['contato.VCF', 'vcf', 'text/vcard'],
      ['agenda.ics', 'ics', 'text/calendar'],
      ['dados.json', 'json', 'application/json'],
      ['servidor.log', 'log', 'text/plain'],
      ['leia-me.md', 'md', 'text/markdown'],
      ['pagina.html', 'txt', 'text/plain'],
      ['desenho.svg', 'txt', 'text/plain'],
    ];
    for (const [name, extension, mimeType] of kinds) {
      const { extension: kept, meta, external_url } = await upload({ data: '<?xml version="1.0"?><script/>', name });
      assert.deepEqual([kept, meta.mimeType], [extension, mimeType], name);
      const { headers } = await fetch(external_url);
      const saved = extension === 'txt' ? `${name}.txt` : name;
      assert.equal(headers.get('content-disposition'), `attachment; filename="${saved}"; filename*=UTF-8''${saved}`);
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';.* sandbox$/);
    }
  });

  test('a file name with control characters or a reversed text direction is refused, and every other name is kept without its folders', async () => {
    const send = async (status: number, name: string): Promise<Answer> => {
      const raw = `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\nOlá\r\n--x--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      return call(status, 'POST', UPLOAD, { raw, headers });
    };
    const wrong = [
      '../..',
      'a/',
      '..',
      '.',
      ' ',
      'a\u0001b.txt',
      'a\u007f.txt',
      'a\u202egpj.exe',
      'a\u2066b.txt',
      'x'.repeat(256),
    ];
    for (const name of wrong) {
      const answer = await send(400, name);
      expectProblem(answer, 'VALIDATION_FAILED', 'file');
      assert.equal(answer.body.errors[0].code, 'FILE_NAME', JSON.stringify(name));
    }
    for (const name of ['x'.repeat(255), 'conta de luz – março.txt', '请.txt', '..%2f..', '-rf', 'a;b=c.txt']) {
      assert.equal((await send(201, name)).body.meta.fileName, name);
    }
    for (const name of ['../../etc/a.pdf', String.raw`C:\\x\\a.pdf`, '/a.pdf'])
      assert.equal((await send(201, name)).body.meta.fileName, 'a.pdf');
  });

  test('nothing is stored when the caller closes the connection in the middle of an upload', { skip }, async () => {
    const [files, records] = [await listStore(), await countRecords()];
    const { port } = new URL(platform.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST ${UPLOAD} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${demo.key}\r\ncontent-length: 1000000\r\n` +
        'content-type: multipart/form-data; boundary=x\r\n\r\n' +
        '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of a file',
    );
    await waitUntil('the upload to have begun', async () => (await countOpenUploads()) > 0);
    socket.destroy();
    await waitUntil('the upload to be given up', async () => (await countOpenUploads()) === 0);
    assert.deepEqual(await listStore(), files);
    assert.equal(await countRecords(), records);
  });

  test('an upload over the quota stores no file, and the removal of a file frees its bytes in the quota', async () => {
    const company = await platform.createCompany();
    const setQuota = (stored_bytes: number): Promise<Answer> =>
      call(200, 'PATCH', `/v1/companies/${company._id}`, {
        key: platform.globalKey,
        body: { limits: { stored_bytes } },
      });
    const usage = async (): Promise<number> =>
      (await call(200, 'GET', `/v1/companies/${company._id}`, { key: company.key })).body.usage.stored_bytes;
    const { _id } = await upload({ data: 'a'.repeat(1_000_000) }, company.key);
    const used = await usage();
    assert.ok(used > 1_000_000 && used < 1_010_000, String(used));
    await setQuota(used + 500_000);
    const before = await listStore();
    const parts = uploadForm({ data: 'b'.repeat(600_000) });
    expectProblem(await postForm(platform, [409, UPLOAD], parts, { key: company.key }), 'QUOTA_EXCEEDED');
    assert.deepEqual(await listStore(), before);
    await call(200, 'DELETE', `${PATH}/${_id}`, { key: company.key });
    assert.equal(await usage(), 0);
    await postForm(platform, [201, UPLOAD], parts, { key: company.key });
  });
});

describe('the list of attachments', () => {
  test('attachments are listed, newest first, all of them or those of one type', async () => {
    const { _id: company, key } = await platform.createCompany();
    const picture = await upload({ data: makePng() }, key);
    const text = await upload({ data: 'Olá' }, key);
    const list = async (query: string): Promise<Json[]> =>
      (await call(200, 'GET', `${PATH}${query}`, { key })).body.result;
    assert.deepEqual(await list(''), [text, picture]);
    assert.deepEqual(await list('?file_type=IMAGE&sort=createdAt'), [picture]);
    assert.deepEqual(await list('?file_type=STICKER'), []);
    const { meta } = (await call(200, 'GET', `${PATH}?file_type=DOCUMENT&limit=1`, { key })).body;
    assert.equal(meta.totalCount, 1);
    assert.equal(text.company, company);
    expectProblem(await call(400, 'GET', `${PATH}?file_type=PICTURE`), 'VALIDATION_FAILED', 'file_type');
  });

  test('operations on attachments refuse callers without a token or the scope, and malformed requests', async () => {
    const { _id } = await upload({ data: 'Olá' });
    await checkRefusals(platform, { method: 'GET', path: PATH, scope: 'attachments:read' });
    await checkRefusals(platform, { method: 'GET', path: `${PATH}/${_id}`, scope: 'attachments:read' });
    await checkRefusals(platform, { method: 'GET', path: `${PATH}/${_id}/url`, scope: 'attachments:read' });
    await checkRefusals(platform, { method: 'DELETE', path: `${PATH}/${_id}`, scope: 'attachments:delete' });
  });

  test('an unknown attachment and one of another company are not found', async () => {
    const other = await platform.createCompany();
    const { _id } = await upload({ data: 'Olá' });
    for (const [id, key] of [
      [newId(), demo.key],
      [_id, other.key],
      ['nonsense', demo.key],
    ] as const) {
      expectProblem(await call(404, 'GET', `${PATH}/${id}`, { key }), 'NOT_FOUND');
      expectProblem(await call(404, 'GET', `${PATH}/${id}/url`, { key }), 'NOT_FOUND');
      expectProblem(await call(404, 'DELETE', `${PATH}/${id}`, { key }), 'NOT_FOUND');
    }
    await call(200, 'GET', `${PATH}/${_id}`);
    for (const key of [demo.key, other.key]) {
      const { result } = (await call(200, 'GET', `/v1/audit?action=attachments.delete&resource=${_id}`, { key })).body;
      assert.deepEqual(result, []);
    }
  });
});

describe('a removed attachment', () => {
  test('a removed attachment is gone with its file and its links', async () => {
    const attachment = await upload({ data: makePng() });
    const { url } = (await call(200, 'GET', `${PATH}/${attachment._id}/url`)).body;
    const name = attachment.storage_key.split('/').at(-1);
    assert.ok((await listStore()).includes(name));
    assert.deepEqual((await call(200, 'DELETE', `${PATH}/${attachment._id}`)).body, attachment);
    assert.ok(!(await listStore()).includes(name));
    for (const link of [url, attachment.external_url]) assert.equal((await fetch(link)).status, 404);
    expectProblem(await call(404, 'DELETE', `${PATH}/${attachment._id}`), 'NOT_FOUND');
  });

  test('an attachment cannot be removed as long as a message refers to it', async () => {
    const { _id, external_url } = await upload({ data: makePng() });
    const { message, contact } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Olá' });
    await database.sql('update messages set attachment_id = $1 where _id = $2', [_id, message._id]);
    expectProblem(await call(409, 'DELETE', `${PATH}/${_id}`), 'ATTACHMENT_IN_USE');
    assert.equal((await fetch(external_url)).status, 200);
    await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
    await call(200, 'DELETE', `${PATH}/${_id}`);
  });

  test('the file of an erased contact stays while a quick reply shows it', async () => {
    const { _id } = await upload({ data: makePng() });
    const { message, contact } = await writeAsContact(platform, { from: makePhoneNumber(), text: 'Olá' });
    await database.sql('update attachments set is_brought = true where _id = $1', [_id]);
    await database.sql('update messages set attachment_id = $1 where _id = $2', [_id, message._id]);
    const reply = { title: 'Menu', shortcut: 'menu', content: 'Our menu', attachment: _id, owner: null };
    await call(201, 'POST', '/v1/quick-replies', { body: reply });
    await call(200, 'DELETE', `/v1/contacts/${contact._id}`);
    await call(200, 'GET', `${PATH}/${_id}`);
  });
});
