import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PASSAGE, splitIntoPassages } from './passages.ts';

const sentence = 'Entregamos bolos em toda a cidade, de segunda a sexta, sem taxa. ';

test('a passage has the headings above it, of both kinds, and none of those that are closed', () => {
  const text =
    '# Loja\n\nAberta.\n\n## Horas ##\n\nDas 9 às 18.\n\nPreços\n------\n\nBolo: 5\n\nEntrega\n=======\nGrátis.';
  assert.deepEqual(splitIntoPassages(text), [
    { headings: ['Loja'], content: 'Aberta.' },
    { headings: ['Loja', 'Horas'], content: 'Das 9 às 18.' },
    { headings: ['Loja', 'Preços'], content: 'Bolo: 5' },
    { headings: ['Entrega'], content: 'Grátis.' },
  ]);
});

test('a heading with nothing below it is a passage of its own, and so is the whole of a very long one', () => {
  assert.deepEqual(splitIntoPassages('# Loja\n\n## Aberta 24 horas\n\n## Endereço\n\nRua A'), [
    { headings: ['Loja'], content: 'Aberta 24 horas' },
    { headings: ['Loja', 'Endereço'], content: 'Rua A' },
  ]);
  const long = `${'muito '.repeat(40)}longo`;
  const passages = splitIntoPassages(`# ${long}\n\nTexto`);
  assert.deepEqual(
    passages.map(({ content }) => content),
    ['Texto', long],
  );
  assert.equal(passages[0]?.headings[0], long.slice(0, 120));
});

test('a mark of a heading or a blank line between two fences is code, and stays with it', () => {
  const code = '```sh\n# no heading\n\necho 1\n```';
  assert.deepEqual(splitIntoPassages(`# A\n\n${code}`), [{ headings: ['A'], content: code }]);
  assert.deepEqual(splitIntoPassages('```\n# open to the end'), [{ headings: [], content: '```\n# open to the end' }]);
});

test('short blocks of a section share a passage, and a long text is split behind a sentence', () => {
  assert.deepEqual(splitIntoPassages('Um.\n\nDois.\n\n- a\n- b'), [
    { headings: [], content: 'Um.\n\nDois.\n\n- a\n- b' },
  ]);
  const passages = splitIntoPassages(`# Entrega\n\n${sentence.repeat(60)}`);
  assert.ok(passages.length > 2);
  for (const { headings, content } of passages) {
    assert.deepEqual(headings, ['Entrega']);
    assert.ok(content.length <= MAX_PASSAGE && content.startsWith('Entregamos') && content.endsWith('.'), content);
  }
});

test('each part of a long table begins with the names of its columns', () => {
  const head = '| Produto | Preço |\n|---|--:|';
  const rows = Array.from({ length: 200 }, (_, index) => `| Bolo ${index} | ${index},00 |`);
  const passages = splitIntoPassages([head, ...rows].join('\n'));
  assert.ok(passages.length > 2);
  for (const { content } of passages) {
    assert.ok(content.startsWith(`${head}\n| Bolo`) && content.length <= MAX_PASSAGE);
    assert.match(content, /\|$/);
  }
  assert.equal(passages.flatMap(({ content }) => content.split('\n').slice(2)).join(), rows.join());
});

test('no word of a text is lost, and no character is cut in two', () => {
  const texts = [
    `# A\n\n${sentence.repeat(50)}\n\n## B\n\n${'palavra '.repeat(900)}`,
    '😀'.repeat(2_000),
    `a${'😀'.repeat(2_000)}`,
    `${'| a '.repeat(2_000)}|\n|---|\n| b |`,
    `- ${'item\n- '.repeat(2_000)}`,
    `${'x'.repeat(5_000)} ${'y'.repeat(5_000)}`,
  ];
  for (const text of texts) {
    const passages = splitIntoPassages(text);
    const kept = passages.map(({ content }) => content).join('');
    const bare = (given: string): string => given.replaceAll(/\s/g, '');
    assert.equal(bare(kept), bare(text.replaceAll(/^#+ .*$/gm, '')));
    for (const { content } of passages) assert.ok(content.length <= MAX_PASSAGE && content.isWellFormed());
  }
});

test('texts without anything to search have no passages', () => {
  for (const text of ['', ' \n\t\n', '#', '# \n\n## ##']) assert.deepEqual(splitIntoPassages(text), [], text);
});

test('a text that consists of marks alone is split like any other', () => {
  for (const part of ['#', '# ', '`', '```\n', '|', '|-', '=\n', '- ', '\n', '. ', '> ', '#\n', 'a\n-\n', '\t|'])
    for (const { content } of splitIntoPassages(part.repeat(100_000 / part.length)))
      assert.ok(content.length <= MAX_PASSAGE);
});
