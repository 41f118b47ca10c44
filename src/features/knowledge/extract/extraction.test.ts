import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makePdfBomb, makeTextPdf } from '../../../../test/support/pdf.ts';
import { makeZip } from '../../../../test/support/sheets.ts';
import { createReaders } from '../../../platform/work/child-readers.ts';
import { AppError } from '../../../platform/values/errors.ts';
import type { Passage } from '../passages.ts';
import type { PageProgress } from '../schemas.ts';
import { drawPages, extractPassages } from './extractor.ts';
import type { TextFormat } from '../../../platform/work/media/formats.ts';

const readers = createReaders(new URL('../../../file-reader.ts', import.meta.url), 15);
after(() => readers.close());

/** The numbers of pages that the last extraction reported while it ran. */
let progress: PageProgress[] = [];

function extract(data: Buffer, format: TextFormat, maxPassages = 100): Promise<Passage[]> {
  progress = [];
  const onProgress = async (reached: PageProgress): Promise<void> => void progress.push(reached);
  return extractPassages(readers, describeReading(data), { format, maxPassages, onProgress });
}

function describeReading(data: Buffer) {
  const read = async function* (start: number, end: number): AsyncGenerator<Buffer> {
    yield data.subarray(start, end);
  };
  return { owner: 'company', source: { bytes: data.length, read } };
}

const document = (body: string): Buffer =>
  makeZip([{ path: 'word/document.xml', data: `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>` }]);
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

test('a child process reads the passages of a text file and of a document', async () => {
  const text = Buffer.from('# Horas\n\nDas nove às dezoito, também aos sábados.');
  const expected = [{ headings: ['Horas'], content: 'Das nove às dezoito, também aos sábados.' }];
  assert.deepEqual(await extract(text, 'TXT'), expected);
  assert.deepEqual(await extract(document(paragraph('Fazemos bolos.')), 'DOCX'), [
    { headings: [], content: 'Fazemos bolos.' },
  ]);
});

test('a file whose text is too long, broken or a bomb is refused, and the next one is read', async () => {
  const refused = (data: Buffer, format: TextFormat, code: string): Promise<void> =>
    assert.rejects(extract(data, format, 5), (error) => error instanceof AppError && error.errors[0]?.code === code);
  await refused(Buffer.from('palavra '.repeat(2_000)), 'TXT', 'TOO_LONG');
  await refused(Buffer.from('# a\n'.repeat(100)), 'TXT', 'TOO_LONG');
  await refused(document(paragraph('palavra '.repeat(2_000))), 'DOCX', 'TOO_LONG');
  await refused(document(' '.repeat(20_000_000)), 'DOCX', 'TOO_LARGE');
  await refused(Buffer.from('nothing'), 'DOCX', 'MALFORMED');
  assert.equal((await extract(Buffer.from('Abrimos.'), 'TXT')).length, 1);
});

// Other systems do not say how much memory a process uses.
const skip = process.platform === 'linux' ? false : 'needs Linux';
test(
  'a small PDF that needs more than 512 MB of memory is refused for that, and the next file is read',
  { skip },
  async () => {
    const bomb = makePdfBomb(600);
    assert.ok(bomb.length < 4_096);
    const fault = { message: 'file takes too much memory to read' };
    await assert.rejects(extract(bomb, 'PDF'), fault);
    await assert.rejects(drawPages(readers, describeReading(bomb), 1), fault);
    assert.equal((await extract(makeTextPdf([['Abrimos.']]), 'PDF')).length, 1);
  },
);

test('the lines of a page are joined to paragraphs, and words that a hyphen divides are whole again', async () => {
  const full = 'Fazemos bolos de casamento e entregamos em toda a cidade, também aos';
  const divided = 'sábados. Encomende com dois dias de antecedência pelo nosso tele-';
  const [passage] = await extract(
    makeTextPdf([['Bolos', full, divided, 'fone (ou aqui).', 'Abrimos às nove.']]),
    'PDF',
  );
  assert.equal(
    passage?.content,
    `Bolos\n${full} sábados. Encomende com dois dias de antecedência pelo nosso telefone (ou aqui).\nAbrimos às nove.`,
  );
});

test('a PDF is read a portion of pages at a time, and the parent learns how many were read', async () => {
  const pages = Array.from({ length: 35 }, (_, page) => [`Esta é a página ${page}.`]);
  const passages = await extract(makeTextPdf(pages), 'PDF');
  const text = passages.map(({ content }) => content).join('\n\n');
  assert.equal(text, pages.flat().join('\n\n'));
  assert.deepEqual(
    progress.map(({ read }) => read),
    [0, 16, 32, 35],
  );
  assert.ok(progress.every((reached) => reached.pages === 35));
});

test('a PDF without text, with a password, broken or with too many pages is refused with its cause, and the next one is read', async () => {
  const refused = (data: Buffer, code: string): Promise<void> =>
    assert.rejects(extract(data, 'PDF', 5), (error) => error instanceof AppError && error.errors[0]?.code === code);
  const whole = makeTextPdf([['Abrimos às nove.']]);
  await refused(makeTextPdf([[], []]), 'NO_TEXT');
  await refused(makeTextPdf([['Segredo']], { isEncrypted: true }), 'ENCRYPTED');
  await refused(Buffer.from('%PDF-1.4\n%%EOF\n'), 'MALFORMED');
  await refused(whole.subarray(0, 300), 'MALFORMED');
  await refused(makeTextPdf([]), 'NO_TEXT');
  await refused(makeTextPdf(Array.from({ length: 2_001 }, () => [])), 'TOO_LONG');
  await refused(makeTextPdf(Array.from({ length: 200 }, () => ['palavra '.repeat(20)])), 'TOO_LONG');
  assert.deepEqual(
    (await extract(whole, 'PDF')).map(({ content }) => content),
    ['Abrimos às nove.'],
  );
});
