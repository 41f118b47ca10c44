import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeZip } from '../../../../test/support/sheets.ts';
import { AppError } from '../../../platform/values/errors.ts';
import { createCollector } from './collector.ts';
import { readDocx } from './docx.ts';

const NAMESPACES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="urn:mc"';
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (text: string, properties = ''): string => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;
const styled = (text: string, style: string): string => paragraph(text, `<w:pStyle w:val="${style}"/>`);
const table = (...rows: string[][]): string => {
  const cells = rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`);
  return `<w:tbl>${cells.join('')}</w:tbl>`;
};
// In a Portuguese Word the style "heading 1" has the id Ttulo1.
const STYLES = `<w:styles ${NAMESPACES}>
  <w:style w:styleId="Ttulo1"><w:name w:val="heading 1"/></w:style>
  <w:style w:styleId="Mine"><w:name w:val="My heading"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
  <w:style w:styleId="Plain"><w:name w:val="Normal"/></w:style>
</w:styles>`;

const readZip = async (data: Buffer, maxCharacters = 1_000_000): Promise<string> => {
  const collector = createCollector(maxCharacters);
  const read = async function* (start: number, end: number): AsyncGenerator<Buffer> {
    yield data.subarray(start, end);
  };
  await readDocx({ bytes: data.length, read }, collector);
  return collector.read();
};
const makeDocument = (body: string, styles = STYLES): Buffer =>
  makeZip([
    { path: 'word/styles.xml', data: styles },
    { path: 'word/document.xml', data: `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>` },
  ]);
const read = (body: string): Promise<string> => readZip(makeDocument(body));

test('headings are found by the name of their style, by its outline and by their own, lists by their numbers', async () => {
  const body = [
    styled('Loja', 'Ttulo1'),
    styled('Horas', 'Mine'),
    paragraph('Feriados', '<w:outlineLvl w:val="2"/>'),
    styled('Das 9 às 18.', 'Plain'),
    paragraph('bolo', '<w:numPr/>'),
  ];
  assert.equal(await read(body.join('')), '# Loja\n\n## Horas\n\n### Feriados\n\nDas 9 às 18.\n\n- bolo');
});

test('the pieces of a paragraph are joined, with its tabs and lines; empty paragraphs are left out', async () => {
  const body = `<w:p>${run('Bo')}${run('lo')}<w:r><w:tab/></w:r>${run('5,00')}<w:r><w:br/></w:r>${run('fresco')}</w:p><w:p/>`;
  assert.equal(await read(body), 'Bolo 5,00\nfresco');
});

test('a table is written row by row below the names of its columns, and a table in a cell as the text of the cell', async () => {
  const inner = table([paragraph('a'), paragraph('b|c')]);
  const body = table(
    [paragraph('Produto'), paragraph('Preço')],
    [paragraph('Bolo') + inner, paragraph('5') + paragraph('6')],
  );
  const expected = '| Produto | Preço |\n| --- | --- |\n| Bolo a b c | 5 6 |';
  assert.equal(await read(`${body}${paragraph('Fim')}`), `${expected}\n\nFim`);
});

test('text that was deleted, instructions of fields, and the second version of a shape are not read', async () => {
  const shape = `<mc:AlternateContent><mc:Choice>${run('forma')}</mc:Choice><mc:Fallback>${run('forma')}</mc:Fallback></mc:AlternateContent>`;
  const hidden = '<w:del><w:r><w:delText>fora</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r>';
  assert.equal(await read(`<w:p>${run('Uma ')}${hidden}${shape}</w:p>`), 'Uma forma');
});

test('a document that is broken, is none, or has too much text is refused', async () => {
  const refused = (data: Buffer, code: string, maxCharacters?: number): Promise<void> =>
    assert.rejects(
      readZip(data, maxCharacters),
      (error) => error instanceof AppError && error.errors[0]?.code === code,
    );
  await refused(makeZip([{ path: 'a.txt', data: 'a' }]), 'NOT_A_DOCUMENT');
  await refused(Buffer.from('PK no zip'), 'MALFORMED');
  await refused(makeZip([{ path: 'word/document.xml', data: '<w:document' }]), 'MALFORMED');
  await refused(makeDocument(paragraph('palavra '.repeat(100)).repeat(10)), 'TOO_LONG', 5_000);
});
