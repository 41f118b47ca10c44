import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endAtSentence } from './sentences.ts';

test('a text that was cut off ends with its last complete sentence', () => {
  for (const [text, rest] of [
    ['Entregamos hoje. Custa R$ 1', 'Entregamos hoje.'],
    [
      'Custa R$ 1.500 com o Sr. Silva na Av. Brasil, nº 12.3. Depois ele',
      'Custa R$ 1.500 com o Sr. Silva na Av. Brasil, nº 12.3.',
    ],
    ['Temos, sim! Quer', 'Temos, sim!'],
    ['¿Qué tal? Bien, gra', '¿Qué tal?'],
    ['Isto é **tudo.** Mas o', 'Isto é **tudo.**'],
    ['Temos bolos. São:\n- Cenoura\n- Choco', 'Temos bolos. São:\n- Cenoura'],
    ['É o fim.', 'É o fim.'],
  ] as const)
    assert.equal(endAtSentence(text), rest);
});

test('numbers, short words, initials, numbers of lists and addresses end no sentence', () => {
  for (const text of [
    'Custa R$ 1.',
    'Fale com a Sra.',
    'Escreva ao J. Silv',
    '1. Bolo de cenoura',
    'Veja www.padaria.',
    'Temos:\n- Bolo\n- Tor',
    'Cla',
  ])
    assert.equal(endAtSentence(text), null);
});
