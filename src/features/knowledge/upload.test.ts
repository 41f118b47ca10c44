import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePng, makeSamples } from '../../../test/support/media-samples.ts';
import { makeTextPdf } from '../../../test/support/pdf.ts';
import { startPlatform, type Json } from '../../../test/support/platform.ts';
import { expectProblem } from '../../../test/support/refusals.ts';
import { makeZip, postForm } from '../../../test/support/sheets.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const platform = await startPlatform();
const { call, database, demo } = platform;
const UPLOAD = '/v1/knowledge/upload';

const upload = async (status: number, data: Buffer | string, parts: Json = {}, name = 'horas.txt'): Promise<Json> =>
  (await postForm(platform, [status, UPLOAD], { ...parts, file: { name, data } }, { key: demo.key })).body;
const settle = (id: string): Promise<Json> =>
  waitUntil('the item to be prepared', async () => {
    const { body } = await call(200, 'GET', `/v1/knowledge/${id}`);
    return body.status !== 'PROCESSING' && body;
  });
const search = async (query: string): Promise<Json[]> =>
  (await call(200, 'POST', '/v1/knowledge/search', { body: { query } })).body.result;

const document = (text: string): Buffer =>
  makeZip([
    { path: '[Content_Types].xml', data: '<?xml version="1.0"?><Types/>' },
    {
      path: 'word/document.xml',
      data: `<w:document xmlns:w="urn:w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    },
  ]);

test('an uploaded text becomes an item with its file, whose passages are found', async () => {
  const item = await upload(201, '# Horas\n\nAbrimos às nove.', { tags: '["loja"]', language: 'pt' });
  assert.deepEqual(
    [item.name, item.type, item.file_type, item.status, item.tags, item.content],
    ['horas.txt', 'KNOWLEDGE', 'DOCUMENT', 'PROCESSING', ['loja'], undefined],
  );
  assert.deepEqual(item.meta, { mimeType: 'text/plain', size: 26, fileName: 'horas.txt' });
  const attachment = (await call(200, 'GET', `/v1/resource/attachments/${item.attachment}`)).body;
  assert.deepEqual([item.storage_key, item.file_url], [attachment.storage_key, attachment.external_url]);
  assert.equal(await (await fetch(item.file_url)).text(), '# Horas\n\nAbrimos às nove.');
  const ready = await settle(item._id);
  assert.deepEqual([ready.status, ready.chunk_count], ['READY', 1]);
  const [found] = await search('quando abrimos');
  assert.deepEqual([found.item, found.headings, found.content], [item._id, ['Horas'], 'Abrimos às nove.']);
  const [listed] = (await call(200, 'GET', '/v1/knowledge?file_type=DOCUMENT')).body.result;
  assert.deepEqual(listed, ready);
});

test('the text of a document is read, with the name that the caller gives', async () => {
  const { _id } = await upload(201, document('Fazemos bolos de casamento.'), { name: 'Encomendas' }, 'a.docx');
  const { name, file_type, status } = await settle(_id);
  assert.deepEqual([name, file_type, status], ['Encomendas', 'DOCX', 'READY']);
  assert.equal((await search('bolo casamento'))[0].item, _id);
});

test('the text of a PDF is read, and its item shows how many of the pages were read', async () => {
  const pages = ['Fazemos bolos.', '', 'Entregamos tortas.'].map((line) => (line === '' ? [] : [line]));
  const { _id, file_type, type } = await upload(201, makeTextPdf(pages), {}, 'tortas.pdf');
  assert.deepEqual([file_type, type], ['PDF', 'KNOWLEDGE']);
  const { status, meta } = await settle(_id);
  assert.deepEqual([status, meta.pages, meta.pagesRead], ['READY', 3, 3]);
  assert.equal((await search('entregam torta'))[0].item, _id);
});

test('a PDF that is protected, or whose pages have no text, ends ERROR with its cause', async () => {
  const readError = async (data: Buffer): Promise<Json> =>
    (await settle((await upload(201, data, {}, 'a.pdf'))._id)).error;
  assert.deepEqual(await readError(makeTextPdf([['Segredo']], { isEncrypted: true })), {
    code: 'ENCRYPTED',
    message: 'The file is protected by a password.',
  });
  assert.deepEqual(await readError(makeTextPdf([[]])), {
    code: 'NO_TEXT',
    message: 'The file has no text: its pages may be pictures, like those of a scanner.',
  });
});

test('a picture is MEDIA, and is found by what is said about it', async () => {
  const item = await upload(201, makePng(), { description: 'Cardápio de verão' }, 'cardapio.png');
  assert.deepEqual([item.type, item.file_type], ['MEDIA', 'IMAGE']);
  assert.equal((await settle(item._id)).status, 'READY');
  assert.equal((await search('tem cardápio?'))[0].item, item._id);
});

test('a file of each accepted format can be MEDIA of its kind, whose text is not read', async () => {
  for (const { format, fileType, data, extension } of await makeSamples()) {
    const item = await upload(201, data, { type: 'MEDIA', description: `Mostruário ${format}` }, `a.${extension}`);
    const kind = format === 'PDF' || format === 'DOCX' ? format : fileType;
    assert.deepEqual([item.type, item.file_type], ['MEDIA', kind], format);
    const { status, chunk_count, meta } = await settle(item._id);
    assert.deepEqual([status, chunk_count, meta.pages], ['READY', 1, undefined], format);
  }
});

test('a document that is broken ends ERROR with what is wrong with it', async () => {
  const broken = makeZip([
    { path: '[Content_Types].xml', data: '<?xml version="1.0"?><Types/>' },
    { path: 'word/document.xml', data: '<w:document' },
  ]);
  const { _id } = await upload(201, broken, {}, 'a.docx');
  const { status, error } = await settle(_id);
  assert.deepEqual([status, error], ['ERROR', { code: 'MALFORMED', message: 'The file has broken XML in it.' }]);
});

test('a form without a file, with a file of no accepted format, or of a kind whose text cannot be read is refused and leaves nothing', async () => {
  const count = async (): Promise<unknown> => database.sql('select count(*) from attachments');
  const before = await count();
  expectProblem(await postForm(platform, [400, UPLOAD], { name: 'a' }, { key: demo.key }), 'VALIDATION_FAILED', 'file');
  const answer = (data: Buffer | string, parts: Json) =>
    postForm(platform, [400, UPLOAD], { ...parts, file: { name: 'a', data } }, { key: demo.key });
  expectProblem(await answer(Buffer.from([0, 1, 2, 255]), {}), 'VALIDATION_FAILED', 'file');
  expectProblem(await answer(makePng(), { type: 'KNOWLEDGE' }), 'VALIDATION_FAILED', 'type');
  expectProblem(await answer('Texto', { tags: '["a","a"]' }), 'VALIDATION_FAILED', 'tags');
  assert.deepEqual(await count(), before);
});

test('a removed item takes its file along, unless something else needs it, and the file cannot be removed before', async () => {
  const needed = await upload(201, 'Texto');
  expectProblem(await call(409, 'DELETE', `/v1/resource/attachments/${needed.attachment}`), 'ATTACHMENT_IN_USE');
  const reply = { title: 'a', shortcut: 'a', content: 'a', attachment: needed.attachment };
  await call(201, 'POST', '/v1/quick-replies', { body: reply });
  await call(200, 'DELETE', `/v1/knowledge/${needed._id}`);
  await call(200, 'GET', `/v1/resource/attachments/${needed.attachment}`);
  const other = await upload(201, 'Outro texto');
  await settle(other._id);
  await call(200, 'DELETE', `/v1/knowledge/${other._id}`);
  await call(404, 'GET', `/v1/resource/attachments/${other.attachment}`);
  assert.equal((await fetch(other.file_url)).status, 404);
});

test('the text of an uploaded item cannot be edited', async () => {
  const { _id } = await upload(201, 'Texto');
  expectProblem(await call(404, 'PUT', `/v1/knowledge/autcl/${_id}`, { body: { content: 'Outro' } }), 'NOT_FOUND');
});
