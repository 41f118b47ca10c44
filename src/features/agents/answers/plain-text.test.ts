import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_MARKS, WHATSAPP_MARKS } from '../../../channels/marks.ts';
import { toPlainText } from './plain-text.ts';

const keepsLink = (address: string): boolean => !address.includes('evil');
const write = (markdown: string): [whatsApp: string, plain: string] => [
  toPlainText(markdown, { marks: WHATSAPP_MARKS, keepsLink }),
  toPlainText(markdown, { marks: NO_MARKS, keepsLink }),
];

test('Markdown is written in the marks of the network, and as plain text where the network has none', () => {
  for (const [markdown, whatsApp, plain] of [
    ['# Preço do **bolo**\n\nVeja:', 'Preço do *bolo*\n\nVeja:', 'Preço do bolo\n\nVeja:'],
    ['## Preço\nVeja', '*Preço*\nVeja', 'Preço\nVeja'],
    ['**a** __b__ *c* _d_ ~~e~~ ***f***', '*a* *b* _c_ _d_ ~e~ _*f*_', 'a b c d e f'],
    ['**Preço:**R$ 5, **Peso:** 1 kg', 'Preço:R$ 5, *Peso:* 1 kg', 'Preço:R$ 5, Peso: 1 kg'],
    ['meta**de**', 'metade', 'metade'],
    ['**um\ndois**', '*um*\n*dois*', 'um\ndois'],
    ['* a **b**\n* c\n  - d\n\nfim', '- a *b*\n- c\n  - d\n\nfim', '- a b\n- c\n  - d\n\nfim'],
    ['2. a\n3. _b_', '2. a\n3. _b_', '2. a\n3. b'],
    ['> **a**\n> b', '> *a*\n> b', '> a\n> b'],
    ['Use `npm i`:\n```sh\nnpm *i*\n```\nfim', 'Use `npm i`:\n```\nnpm *i*\n```\nfim', 'Use npm i:\nnpm *i*\nfim'],
    ['| Bolo | R$ |\n|---|--:|\n| **Mel** | 9<br>8 |', 'Bolo – R$\n*Mel* – 9 8', 'Bolo – R$\nMel – 9 8'],
    ['um<br>dois\\*  \ntrês', 'um\ndois*\ntrês', 'um\ndois*\ntrês'],
    ['um<br>\ndois<br><br>três', 'um\ndois\n\ntrês', 'um\ndois\n\ntrês'],
    ['Isto é **<b>novo</b>**, R&amp;D &amp;lt;', 'Isto é *novo*, R&D &lt;', 'Isto é novo, R&D &lt;'],
    ['<p>Olá, **Ana**</p>\n<p>Tudo <i>bem</i>?</p>', 'Olá, *Ana*\n\nTudo bem?', 'Olá, Ana\n\nTudo bem?'],
  ] as const)
    assert.deepEqual(write(markdown), [whatsApp, plain]);
});

test('a link is written as its words and its address, and without an address that is not kept', () => {
  for (const [markdown, text] of [
    ['[site](https://x.example)', 'site (https://x.example)'],
    ['![foto](https://x.example/a.png)', 'foto (https://x.example/a.png)'],
    ['[https://x.example](https://x.example) <https://x.example>', 'https://x.example https://x.example'],
    ['[oi@x.example](mailto:oi@x.example)', 'oi@x.example'],
    ['[](https://x.example)', 'https://x.example'],
    ['[site]() [página](https://evil.example)', 'site página'],
    ['[site][1]\n\n[1]: https://x.example', 'site (https://x.example)\n\n[1]: https://x.example'],
  ] as const)
    assert.deepEqual(write(markdown), [text, text]);
});

test('characters that only look like Markdown stay as they are', () => {
  for (const text of [
    '5 * 3 * 2 = 30, 4*5*6 e 2**10**3',
    'snake_case_name e a_b_c',
    '#123 é o seu pedido',
    '1. um\n2. dois\n\n\n\n3. três',
    'um\n\n\ndois\ntrês',
    '~5 a ~10, ~5-~10',
    '+ 55 11 4002-8922',
    '> 18 anos',
    '2024. Foi bom',
    'Total\n---\nR$ 9',
    '    recuado',
    '- a\n    - b\n1) c\nd',
    '[Importante]: amanhã [Importante] [ ] (1)',
    'a & b < c > d <e>f</e>',
    'Medidas: 10cm*20cm*30cm',
    'Tecle *21*11999998888# para desviar',
    'Ligue *144*1# já',
    '*123*45#',
    'Código AB*12*CD',
    'área = pi*r*r',
    'Comprimento*largura*altura',
    '*99*',
    'Ligue *99* ou *#06#',
    'Chame __init__ e __main__',
    '\\\\servidor\\pasta',
    '*_~[ '.repeat(150),
    'a * ** ` ``` # - |',
    '```',
    'c:\\pasta\\x  y',
  ])
    assert.deepEqual(write(text), [text.trim(), text.trim()]);
});

test('a hostile text of the length of a message is written, however deep it is', () => {
  for (const part of [
    '[',
    '![](',
    '**a ',
    '*a_',
    '`',
    '<a ',
    '> ',
    '- ',
    '1. ',
    '|a',
    '~~a ',
    '[a]: b\n',
    '> - ',
    '[]**a',
    '~~a|*',
    '_a*<',
  ])
    assert.ok(toPlainText(part.repeat(10_000), { marks: WHATSAPP_MARKS, keepsLink }).length <= 5_000);
});
