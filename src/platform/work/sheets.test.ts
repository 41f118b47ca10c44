/** Tests of reading spreadsheets: the rows of valid files, and the refusal of broken and hostile files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { readSeed } from '../../../test/full/harness/chance.ts';
import { createRandom } from '../../../test/support/random.ts';
import {
  makeZipBomb,
  makeWorkbookParts,
  makeWorkbook,
  makeZip,
  type TestCell,
  type ZipItem,
} from '../../../test/support/sheets.ts';
import type { ByteSource } from '../store/byte-source.ts';
import { AppError } from '../values/errors.ts';
import { cutRows } from './sheets/csv-rows.ts';
import { csvLine } from './sheets/csv.ts';
import type { Cell, SheetRow } from './sheets/sheet.ts';
import { beginSurvey, detectFormat, isSmallSheet, readHeader, readRows, readSmallSheet, surveyRows } from './sheets.ts';

/** Makes a source that returns pieces of an odd size, so that pieces end at any position of the content. */
function makeSource(data: Buffer | string, piece = 4_099): ByteSource {
  const bytes = Buffer.from(data);
  return {
    bytes: bytes.length,
    async *read(start, end) {
      for (let at = start; at < end; at += piece) yield bytes.subarray(at, Math.min(end, at + piece));
    },
  };
}

/** Reads a sheet in two passes. Checks that a small one has the same rows in a single pass. */
/** Reads all rows without the numbers that a spreadsheet program shows. */
async function readAllRows(data: Buffer | string, piece?: number): Promise<Omit<SheetRow, 'line'>[]> {
  const source = makeSource(data, piece);
  const rows: SheetRow[] = [];
  const format = await detectFormat(source);
  const survey = beginSurvey(null);
  for await (const _ of surveyRows(source, format, survey));
  for await (const row of readRows(source, format, survey)) rows.push(row);
  if (await isSmallSheet(source, format))
    assert.deepEqual(await Array.fromAsync(readSmallSheet(source, format, null)), rows);
  return rows.map(({ line: _line, ...row }) => row);
}

const readCells = async (data: Buffer | string, piece?: number): Promise<Cell[][]> =>
  (await readAllRows(data, piece)).map(({ cells }) => cells);

async function readFault(data: Buffer | string): Promise<string> {
  try {
    await readAllRows(data);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.status, 400);
    return error.errors[0]?.message ?? '';
  }
  assert.fail('it was read');
}

test('a CSV is read with any delimiter and line break, with quotes, and with a byte order mark', async () => {
  for (const mark of ['', '\ufeff']) {
    for (const delimiter of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = [
          ['name', 'size'],
          ['"a ""b"" \n c"', '5" inch'],
          ['', ' '],
          ['ação', 'x,y;z'],
        ];
        const text = lines
          .map((line) => line.map((cell) => (/[,;]/.test(cell) ? `"${cell}"` : cell)).join(delimiter))
          .join(end);
        assert.deepEqual(await readAllRows(mark + text), [
          { number: 0, cells: ['name', 'size'] },
          { number: 1, cells: ['a "b" \n c', '5" inch'] },
          { number: 3, cells: ['ação', 'x,y;z'] },
        ]);
      }
    }
  }
});

test('a CSV character of several bytes is read correctly when a piece of the file ends within the character', async () => {
  const text = `name\n${'ção😀'.repeat(50)}\n`;
  for (const piece of [1, 2, 3, 5, 7]) assert.deepEqual((await readCells(text, piece))[1], ['ção😀'.repeat(50)]);
});

test('a CSV in Windows-1252 is decoded, wherever its first letter with an accent is', async () => {
  const plain = 'a,b\n'.repeat(10_000);
  const written = Buffer.from('Jos\xe9,\x80 5 \x96 10\nS\xe3o', 'latin1');
  for (const piece of [1, 3, 16_384]) {
    const rows = await readCells(Buffer.concat([Buffer.from(plain), written]), piece);
    assert.deepEqual(rows.slice(-2), [['José', '€ 5 – 10'], ['São']]);
  }
});

test('the delimiter that the first line names is used, and the rows are counted without that line', async () => {
  for (const first of ['sep=|\r\n', '"sep=|"\n']) {
    const source = makeSource(`${first}name|note\nAna|"a\nb;c"\nBia|d,e,f\n`);
    const rows = await Array.fromAsync(readRows(source, 'CSV', beginSurvey(null)));
    assert.deepEqual(
      rows.map(({ line, cells }) => [line, ...cells]),
      [
        [1, 'name', 'note'],
        [2, 'Ana', 'a\nb;c'],
        [3, 'Bia', 'd,e,f'],
      ],
    );
  }
});

test('the first sheet of a workbook is read: shared and inline texts, numbers, booleans, and dates by their style', async () => {
  const cell = (attributes: string, inner: string): TestCell => ({
    xml: (reference) => `<c r="${reference}" ${attributes}>${inner}</c>`,
  });
  const rows = await readAllRows(
    makeWorkbook([
      [null],
      ['text', 'number', 'boolean', 'date'],
      ['a & <b>', -1.5e3, true, cell('s="1"', '<v>46346</v>')],
      [null],
      [null, 7, false, cell('s="2"', '<v>46346.395833333336</v>')],
      [
        cell('t="inlineStr"', '<is><r><t>in</t></r><r><t>line</t></r><rPh><t>reading</t></rPh></is>'),
        cell('t="str"', '<f>A1</f><v>formula_x000A_</v>'),
        cell('t="e"', '<v>#N/A</v>'),
        cell('s="3"', '<v>46346</v>'),
      ],
    ]),
  );
  assert.deepEqual(rows, [
    { number: 0, cells: ['text', 'number', 'boolean', 'date'] },
    { number: 1, cells: ['a & <b>', -1500, true, '2026-11-20'] },
    { number: 3, cells: [null, 7, false, '2026-11-20T09:30:00'] },
    { number: 4, cells: ['inline', 'formula\n', null, 46_346] },
  ]);
});

test('an exported CSV is read back unchanged, and no cell in it begins like a formula', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const letters = ['=', '+', '-', '@', "'", '\t', '\r', '\n', '"', ',', ';', ' ', 'a', 'é', '5', '\uff1d'];
  const text = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => letters[Math.floor(random() * letters.length)]).join('');
  const rows = Array.from({ length: 300 }, () => [`x${text()}`, text(), '-5', '+5511987654321', '=1+1', '-1+cmd|x']);
  const written = csvLine(['a', 'b', 'c', 'd', 'e', 'f']) + rows.map((row) => csvLine(row)).join('');
  const expected = rows.map((row) => row.map((cell) => (cell.trim() === '' ? null : cell)));
  assert.deepEqual((await readCells(written)).slice(1), expected, `SEED=${seed}`);
  // This checks the text with its apostrophe, as a spreadsheet program reads it.
  for (const row of rows) {
    for (const cell of row.slice(0, 2)) {
      const shown = csvLine([cell]).trimEnd().replace(/^"/, '');
      if (!/^[+-]\d/.test(cell)) assert.doesNotMatch(shown, /^[=+\-@\t\r\n\uff1d]/, `SEED=${seed}: ${cell}`);
    }
  }
  assert.equal(
    csvLine(['=1+1', '-5', '+5511987654321', '-1+cmd|x', "'=1", null, true]),
    `'=1+1,-5,+5511987654321,'-1+cmd|x,''=1,,true\r\n`,
  );
});

test('a CSV is split into the same rows and cells as by csv-parse, wherever a piece of the file ends', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const letters = ['"', '"', '""', ',', '\n', '\r\n', '\r', ' ', 'a', 'é', ';'];
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from(
      { length: Math.floor(random() * 14) },
      () => letters[Math.floor(random() * letters.length)],
    ).join('');
    const cutter = cutRows(',', null, (cell) => cell);
    const end = Math.floor(random() * text.length);
    let rows: Cell[][] | null = null;
    let expected: string[][] | null = null;
    try {
      rows = [cutter.take(text.slice(0, end)), cutter.take(text.slice(end)), cutter.end()]
        .flat()
        .map(({ cells }) => cells);
    } catch {
      // Failure policy: `rows` stays null, which is compared below; only a quote that is never closed throws.
    }
    try {
      const options = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, relax_quotes: true };
      expected = parse(text, options);
    } catch {
      // Failure policy: `expected` stays null, which is compared below.
    }
    assert.deepEqual(rows, expected, `SEED=${seed}: ${JSON.stringify([text.slice(0, end), text.slice(end)])}`);
  }
});

test('a sheet is small when it unpacks to 16 MB at most', async () => {
  const limit = 16 * 1024 * 1024;
  for (const [bytes, isSmall] of [
    [limit, true],
    [limit + 1, false],
  ] as const) {
    assert.equal(await isSmallSheet({ ...makeSource(''), bytes }, 'CSV'), isSmall);
    const parts = [
      { path: 'xl/workbook.xml', data: '' },
      { path: 'x', data: '', claims: { inflated: bytes, packed: bytes } },
    ];
    assert.equal(await isSmallSheet(makeSource(makeZip(parts)), 'XLSX'), isSmall);
  }
});

test('the header of a workbook is found below blank rows', async () => {
  const blank = Array.from({ length: 50 }, () => [' ', '  ']);
  const source = makeSource(makeWorkbook([...blank, ['name', 'é'.repeat(100)], ['Ana', 'x']]));
  assert.deepEqual((await readHeader(source, 'XLSX')).cells, ['name', 'é'.repeat(100)]);
});

test('a file with more rows than a spreadsheet can have is refused, even if they are empty', async () => {
  assert.match(await readFault(`name\n${'\n'.repeat(1_100_000)}`), /more than 1048576 lines/);
});

const NAMED: [string, Buffer | string, RegExp][] = [
  ['an empty file', '', /is empty/],
  ['blank lines', '\n \n', /no row with a value/],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /neither CSV nor XLSX/],
  ['a document', '%PDF-1.7 etc', /neither CSV nor XLSX/],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old or a protected workbook/],
  ['UTF-16', Buffer.from('\ufeffname\n', 'utf16le'), /not UTF-8/],
  ['UTF-8 with a wrong byte', Buffer.from([...Buffer.from('name\né'), 0xe9, 10]), /not UTF-8/],
  ['a letter that is cut off at the end', Buffer.from('name\néé').subarray(0, 8), /not UTF-8/],
  ['another encoding', Buffer.from('name\nfran\x8dais\n', 'latin1'), /neither UTF-8 nor Windows-1252/],
  ['a NUL at the beginning', 'na\0me\n', /neither CSV nor XLSX/],
  ['a NUL far inside', `name\n${'a\n'.repeat(5_000)}\0`, /NUL/],
  ['a quote that is never closed', `name\n"${'a\n'.repeat(900_000)}`, /more than a million letters|cannot be read/],
  ['a zip of something else', makeZip([{ path: 'a.txt', data: 'a' }]), /no workbook/],
  ['half a zip', makeWorkbook([['a'], ['b']]).subarray(0, 200), /broken workbook/],
  ['a zip in a zip', makeZip([{ path: 'xl/workbook.xml', data: makeWorkbook([['a']]) }]), /broken XML|without a sheet/],
  ['many parts', makeZip(Array.from({ length: 300 }, (_, n) => ({ path: `${n}`, data: '' }))), /more than 200 parts/],
  ['a number that is none', makeWorkbook([['a'], [{ xml: (r) => `<c r="${r}"><v>NaN</v></c>` }]]), /number/],
];
for (const [name, data, message] of NAMED) {
  test(`${name} is refused as a spreadsheet, with the reason`, async () =>
    assert.match(await readFault(data), message));
}

const withSheet = (change: (item: ZipItem) => ZipItem): Buffer =>
  makeZip(makeWorkbookParts([['name'], ['x']]).map((item) => (item.path.endsWith('sheet2.xml') ? change(item) : item)));
const withXml = (xml: string): Buffer => withSheet((item) => ({ ...item, data: xml }));
const DTD = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>';

const HOSTILE: [string, () => Buffer, RegExp][] = [
  ['a bomb of a thousand to one', () => withSheet((item) => ({ ...item, packed: makeZipBomb(200) })), /100 times/],
  [
    'a bomb whose headers say that it is small (defect 13)',
    () => withSheet((item) => ({ ...item, packed: makeZipBomb(200), claims: { inflated: 1000 } })),
    /broken workbook/,
  ],
  [
    'headers that promise 3 GB',
    () => withSheet((item) => ({ ...item, claims: { inflated: 3_000_000_000 } })),
    /500 MB/,
  ],
  [
    'a part that is longer in its directory than the file',
    () => withSheet((item) => ({ ...item, claims: { packed: 1_000_000 } })),
    /broken/,
  ],
  ['a document type', () => withXml(`${DTD}<worksheet/>`), /document type/],
  ['an entity of its own', () => withXml('<worksheet>&y;</worksheet>'), /broken XML/],
  ['a text without end', () => withXml(`<worksheet><!--${randomLetters(3_000_000)}`), /text without end/],
  ['a tag without end', () => withXml(`<worksheet a="${randomLetters(3_000_000)}`), /text without end/],
  ['a million tags in each other', () => withXml('<a>'.repeat(1_000_000)), /nested deeper than 100/],
  ['a column beyond the last', () => withXml('<a><row><c r="ZZZ1"><v>1</v></c></row></a>'), /last column/],
  ['a cell far to the right', () => withXml('<a><row><c r="XFD1"><v>1</v></c></row></a>'), /500 columns/],
  [
    'bytes that are no UTF-8',
    () => withSheet((item) => ({ ...item, data: Buffer.from([60, 97, 62, 255, 254]) })),
    /XML/,
  ],
];

/** Returns random letters, which compress badly, so that the file is not refused for its compression ratio. */
function randomLetters(count: number): string {
  const random = createRandom(count);
  return Buffer.from(Array.from({ length: count }, () => 97 + Math.floor(random() * 26))).toString('latin1');
}

for (const [name, make, message] of HOSTILE) {
  test(`a workbook with ${name} is refused`, async () => {
    assert.match(await readFault(make()), message);
  });
}

test('a workbook with some random bytes is read or refused, and never crashes the reader', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const random = createRandom(seed);
  const good = makeWorkbook([['name', 'n'], ...Array.from({ length: 50 }, (_, n) => [`Ana ${n}`, n])]);
  for (let round = 0; round < 300; round += 1) {
    const broken = Buffer.from(good);
    for (let change = 0; change < 1 + random() * 5; change += 1)
      broken[Math.floor(random() * broken.length)] = Math.floor(random() * 256);
    try {
      await readAllRows(broken);
    } catch (error) {
      assert.ok(error instanceof AppError, `SEED=${seed}, round ${round}: ${(error as Error).stack}`);
    }
  }
});

test('an error while reading the bytes of a sheet is not reported as a fault of the file', async () => {
  for (const data of [Buffer.from('a\nb\n'.repeat(5_000)), makeWorkbook([['a'], ['b']])]) {
    const good = makeSource(data, 512);
    let reads = 0;
    const source: ByteSource = {
      bytes: good.bytes,
      async *read(start, end) {
        reads += 1;
        if (reads > 2 || data.length > 10_000) throw new Error('the database is away');
        yield* good.read(start, end);
      },
    };
    await assert.rejects(async () => {
      for await (const _ of readRows(source, data.length > 10_000 ? 'CSV' : 'XLSX', beginSurvey(null)));
    }, /the database is away/);
  }
});

test('a caller that stops reading a sheet in the middle leaves no source open', async () => {
  for (const data of ['a\n'.repeat(50_000), makeWorkbook(Array.from({ length: 20_000 }, (_, n) => [`row ${n}`]))]) {
    let open = 0;
    const good = makeSource(data, 1_000);
    const source: ByteSource = {
      bytes: good.bytes,
      async *read(start, end) {
        open += 1;
        try {
          yield* good.read(start, end);
        } finally {
          open -= 1;
        }
      },
    };
    for await (const { number } of surveyRows(source, await detectFormat(source), beginSurvey(null)))
      if (number === 5) break;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(open, 0);
  }
});

test('a sheet that is completely in memory is read in small steps, between which the event loop runs', async () => {
  const csv = 'name,size\n'.repeat(50_000);
  const rows = '<row><c t="str"><v>Ana</v></c></row>'.repeat(20_000);
  const book = makeWorkbookParts([]).map((item) => ({
    ...item,
    stored: true as const,
    data: item.path.endsWith('sheet2.xml') ? `<worksheet>${rows}</worksheet>` : item.data,
  }));
  for (const data of [Buffer.from(csv), makeZip(book)]) {
    let turns = 0;
    let reading = true;
    const count = (): void => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    await readAllRows(data, data.length).finally(() => (reading = false));
    // The event loop must run at least once for each 64 kB, because parsing 32 kB takes some ten milliseconds.
    assert.ok(turns > data.length / 65_536, `${turns} turns for ${data.length} bytes`);
  }
});
