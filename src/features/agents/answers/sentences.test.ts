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
    ['É o fim...', 'É o fim...'],
    ['Sim. Veja https://loja.example/p?id=5 e dep', 'Sim.'],
    ['Sim. Veja https://loja.example/p?', 'Sim.'],
    ['Sim. Veja https://loja.example/p?_b=1 e', 'Sim.'],
    ['Sim. Fale com joao!x@a', 'Sim.'],
    ['Sim, bom dia. O Eng. Silva', 'Sim, bom dia.'],
    ['São 3 itens. 1. Azul 2. Ver', 'São 3 itens.'],
    ['Olá! 😊 Custa', 'Olá!'],
    ['Olá!😊 Custa', 'Olá!'],
    ['É isso (sim.) Ma', 'É isso (sim.)'],
    ['Sim. Custa R$ 50. E', 'Sim. Custa R$ 50.'],
    ['好的。价格是', '好的。'],
  ] as const)
    assert.equal(endAtSentence(text), rest);
});

test('numbers, short words, initials, numbers of lists and addresses end no sentence', () => {
  for (const text of [
    'Custa R$ 1.',
    'Fale com a Sra.',
    'Escreva ao J. Silv',
    'Item no. 5. De',
    'Exmo. Sr. João',
    'Custa 5. De',
    '1. Bolo de cenoura',
    'Veja www.padaria.',
    'Temos:\n- Bolo\n- Tor',
    'Cla',
  ])
    assert.equal(endAtSentence(text), null);
});
