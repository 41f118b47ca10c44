import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripReasoning } from './reasoning.ts';

test('reasoning is removed, whatever its tag, and also when one of its tags is missing', () => {
  for (const [text, rest] of [
    ['<think>Hm.</think>Sim!', 'Sim!'],
    ['<THINK effort="high">\nHm.\n</Think >\n\nSim!', 'Sim!'],
    ['<thinking>a</thinking>Sim, <reasoning>b</reasoning>claro.', 'Sim, claro.'],
    ['<seed:think>a</seed:think>Sim!', 'Sim!'],
    ['The contact asks for a price.</think>\nSim!', 'Sim!'],
    ['<think>a <think> b</think>Sim!', 'Sim!'],
    ['<think>a<think>b</think>c</think>Sim!', 'Sim!'],
    ["<think>don`t</think>Use `x`'s", "Use `x`'s"],
    ['<think>The contact asks', ''],
    ['Sim!\n\n<think>The contact asks', 'Sim!'],
    ['<think></think>', ''],
  ] as const)
    assert.equal(stripReasoning(text), rest);
});

test('tags in code and within a sentence stay, as does all that only looks like them', () => {
  for (const text of [
    'Feche com `</think>` o que `<think>` abre.',
    'Assim:\n```\n<think>a</think>\n```\nPronto.',
    'A tag <think> abre o raciocínio.',
    'I think <b>so</b> & <thin>k</thin>, 1 < 2 > 0, <think/>',
  ])
    assert.equal(stripReasoning(text), text);
});

test('a hostile text takes no more time than its length', () => {
  // If the time grew with the square of the length, this would take hours.
  for (const part of ['<think>', '</think>', '<think ', '`', '```', '`<', '<think>`'])
    stripReasoning(part.repeat(1_000_000));
});
