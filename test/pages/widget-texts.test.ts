/** The logic of the web chat that needs no browser: links in texts, the order of messages, answers to questions, colours, and sizes. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { shipWebApps } from '../../src/platform/http/web-builds.ts';
import { findProblem, readAnswers } from '../../web/widget/chat/answers.ts';
import { cutText, MOST_CHARACTERS } from '../../web/widget/chat/limits.ts';
import { splitLinks } from '../../web/browser/links.ts';
import { makeRows, placeMessages } from '../../web/widget/chat/order.ts';
import { writeBytes } from '../../web/browser/formats.ts';
import { chooseTextColor, measureContrast, readColor } from '../../web/browser/colors.ts';
import type { ChatMessage, Question } from '../../web/widget/api/types.ts';

const listLinks = (text: string): string[] =>
  splitLinks(text).flatMap((part) => (typeof part === 'string' ? [] : [part.href]));

test('a size in bytes has a plural in every language', () => {
  for (const language of ['en', 'pt-BR', 'es'])
    assert.deepEqual([writeBytes(language, 1), writeBytes(language, 920)], ['1 byte', '920 bytes'], language);
});

describe('links in a text', () => {
  test('web and mail addresses become links, without the marks of the sentence around them', () => {
    assert.deepEqual(splitLinks('See https://shop.example/a?b=1. Or (http://x.test/y), or help@shop.example!'), [
      'See ',
      { href: 'https://shop.example/a?b=1', text: 'https://shop.example/a?b=1' },
      '. Or (',
      { href: 'http://x.test/y', text: 'http://x.test/y' },
      '), or ',
      { href: 'mailto:help@shop.example', text: 'help@shop.example' },
      '!',
    ]);
    assert.deepEqual(listLinks('https://en.wikipedia.org/wiki/Parley_(word)'), [
      'https://en.wikipedia.org/wiki/Parley_(word)',
    ]);
  });

  test('telephone numbers with a country or area code become links, and other numbers stay text', () => {
    assert.deepEqual(listLinks('(11) 98765-4321, +55 81 3333-4444 or +351912345678.'), [
      'tel:11987654321',
      'tel:+558133334444',
      'tel:+351912345678',
    ]);
    assert.deepEqual(listLinks('CPF 123.456.789-09, order 20261127, 2026-11-27 12:30, x (12 345 678), +55 (1)'), []);
    assert.deepEqual(listLinks('www.shop.example/a, and shop.example'), ['https://www.shop.example/a']);
  });

  test('addresses that could run code or open a program stay plain text', () => {
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'tel:+551199',
      '<a href="javascript:alert(1)">x</a>',
      'https://',
    ])
      assert.deepEqual(listLinks(text), [], text);
    assert.deepEqual(listLinks('https://x.test/"onmouseover="alert(1)'), ['https://x.test/']);
  });

  test('no character of a text is lost, and a hostile text takes no more time than its length', () => {
    const texts = [
      'a@'.repeat(1_000_000),
      'https://'.repeat(250_000),
      '('.repeat(2_000_000),
      'https://x.test/'.padEnd(2_000_000, ').'),
      '(11) '.repeat(400_000),
      '+1 '.repeat(700_000),
      '1'.repeat(2_000_000),
    ];
    // If the time grew with the square of the length, this would take hours.
    for (const text of texts) {
      const joined = splitLinks(text).map((part) => (typeof part === 'string' ? part : part.text));
      assert.ok(joined.join('') === text, text.slice(0, 20));
    }
  });
});

const message = (_id: string, createdAt: string, change: Partial<ChatMessage> = {}): ChatMessage => ({
  _id,
  client_id: null,
  author: { kind: 'OPERATOR', name: 'Olga', avatar_url: null },
  contentType: 'TEXT',
  content: _id,
  media: null,
  location: null,
  buttons: [],
  reply_to: null,
  status: 'SENT',
  createdAt,
  is_revoked: false,
  ...change,
});

describe('the order of messages', () => {
  test('messages stand in the order of the platform, whatever order they arrive in, and none twice', () => {
    const [a, b, c] = [
      message('1', '2026-11-23T10:00:00.000Z'),
      message('2', '2026-11-23T10:00:00.000Z'),
      message('3', '2026-11-24T10:00:01.000Z'),
    ];
    const changed = { ...b, content: 'changed' };
    const placed = placeMessages(placeMessages([c], [b]), [a, changed]);
    assert.deepEqual(placed, [a, changed, c]);
    const rows = makeRows(placed);
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['day', 'message', 'message', 'day', 'message'],
    );
    assert.deepEqual(
      rows.flatMap((row) => (row.kind === 'message' ? [[row.isFirst, row.isLast]] : [])),
      [
        [true, false],
        [false, true],
        [true, true],
      ],
    );
  });
});

describe('the questions before the first message', () => {
  const question = (change: Partial<Question>): Question => ({
    key: 'city',
    kind: 'CUSTOM_FIELD',
    title: 'City',
    type: 'TEXT',
    options: [],
    required: false,
    ...change,
  });

  test('each answer has the type of its field, and empty ones are left out', () => {
    const questions = [
      question({ key: 'NAME', kind: 'NAME' }),
      question({ key: 'age', type: 'NUMBER' }),
      question({ key: 'news', type: 'BOOLEAN' }),
      question({ key: 'tags', type: 'LIST' }),
      question({ key: 'sizes', type: 'LIST', options: ['S', 'M'] }),
      question({ key: 'empty' }),
    ];
    const typed = { NAME: ' Maria ', age: '1,5', news: 'false', tags: 'a, b,', sizes: ['M'], empty: '  ' };
    assert.deepEqual(readAnswers(questions, typed), {
      NAME: 'Maria',
      age: 1.5,
      news: false,
      tags: ['a', 'b'],
      sizes: ['M'],
    });
  });

  test('what the platform would refuse is refused before it is sent', () => {
    assert.equal(findProblem(question({ required: true }), ' '), 'required');
    assert.equal(findProblem(question({ kind: 'EMAIL' }), 'maria'), 'wrongEmail');
    assert.equal(findProblem(question({ kind: 'EMAIL' }), 'maria@shop.example'), null);
    assert.equal(findProblem(question({ type: 'NUMBER' }), 'many'), 'wrongNumber');
    assert.equal(findProblem(question({}), ''), null);
  });
});

test('a text is cut where a message ends, and never inside of a character', () => {
  assert.equal(cutText('a'.repeat(MOST_CHARACTERS)).length, MOST_CHARACTERS);
  const cut = cutText('😀'.repeat(MOST_CHARACTERS + 1));
  assert.equal(Array.from(cut).length, MOST_CHARACTERS);
  assert.ok(cut.isWellFormed());
});

test("texts on the company's colour can be read, whatever colour it is", () => {
  for (let value = 0; value < 0x1000000; value += 0x01357f) {
    const color = `#${value.toString(16).padStart(6, '0')}`;
    assert.ok(measureContrast(color, chooseTextColor(color)) >= 4.5, color);
  }
  assert.equal(readColor('red; background: url(x)'), '#2563eb');
  assert.equal(readColor('#ABCDEF'), '#abcdef');
});

test('the loader has less than 5 kB, and the first load of the chat less than 40 kB, compressed', async () => {
  const folder = (await shipWebApps()).find((each) => each.includes('/web/widget/')) ?? '';
  const sizes = new Map(readdirSync(folder).map((file) => [file, gzipSync(readFileSync(join(folder, file))).length]));
  const loader = sizes.get('widget.js') ?? Number.NaN;
  const page = [...sizes.values()].reduce((sum, size) => sum + size, -loader);
  assert.ok(loader < 5_000, `the loader has ${loader} bytes`);
  assert.ok(page < 40_000, `the page has ${page} bytes`);
});
