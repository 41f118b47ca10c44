import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitReasoning, stripReasoning } from './reasoning.ts';

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
    ['[THINK]a[/THINK]Olá', 'Olá'],
    [
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>Olá',
      'Olá',
    ],
    ['<|channel|>analysis<|message|>They ask', ''],
    ['Olá<|end|>', 'Olá'],
    ['◁think▷a◁/think▷Olá', 'Olá'],
    ['<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Olá<|END_RESPONSE|>', 'Olá'],
    ['<reflection>a</reflection><analysis>b</analysis><scratchpad>c</scratchpad>Olá', 'Olá'],
    ['<think>x</think><answer>Olá</answer>', 'Olá'],
    ['<|im_start|>assistant\nOlá<|im_end|>', 'Olá'],
    ['Olá<|eot_id|> <end_of_turn><think/>', 'Olá'],
    ['Olá<｜end▁of▁sentence｜>', 'Olá'],
    ['I must not use ``` here.\n</think>\n\nUse:\n```\nnpm i\n```\nPronto.', 'Use:\n```\nnpm i\n```\nPronto.'],
    ['Okay.\nDraft:\n```\nOlá\n</think>\n\nVeja:\n```\nx\n```', 'Veja:\n```\nx\n```'],
    ['It`s ok <think>secret</think> it`s fine', 'It`s ok  it`s fine'],
    ['Draft:\n```\nSim <think>a</think>', 'Draft:\n```\nSim'],
  ] as const)
    assert.equal(stripReasoning(text), rest);
});

test('tags in code and within a sentence stay, as does all that only looks like them', () => {
  for (const text of [
    'Feche com `</think>` o que `<think>` abre.',
    'Assim:\n```\n<think>a</think>\n```\nPronto.',
    'A tag <think> abre o raciocínio.',
    'Assim:\n```\n<think>\na\n</think>\n```\nPronto.',
    'Assim:\n~~~\n<think>a</think> <|im_end|>\n~~~\nPronto.',
    'A tag `<think>a</think>` e `<|im_end|>`.',
    'I think <b>so</b> & <thin>k</thin>, 1 < 2 > 0',
  ])
    assert.equal(stripReasoning(text), text);
});

test('a cut reply ends before reasoning that it leaves open, wherever it begins', () => {
  for (const [text, rest] of [
    ['Olá 😊 <think>hmm, the customer wants', 'Olá 😊'],
    ['**Olá** <think>hmm', '**Olá**'],
    ['Olá, <think>hmm', 'Olá,'],
    ['Olá <think>hmm', 'Olá'],
    ['A tag `<think>` abre', 'A tag `<think>` abre'],
  ] as const)
    assert.equal(splitReasoning(text, { isCut: true }).said, rest);
  for (const text of ['Olá 😊 <think>hmm', '**Olá** <think>hmm', 'Olá, <think>hmm'])
    assert.doesNotMatch(stripReasoning(text), /hmm/);
});

test('a hostile text takes no more CPU time than its length', () => {
  const measureCpu = (text: string): number => {
    const before = process.cpuUsage();
    stripReasoning(text);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  for (const part of [
    '<think>',
    '</think>',
    '<think ',
    '`',
    '```',
    '`<',
    '<think>`',
    '```js\n</think>\n',
    '`<think> `',
    '<|',
  ]) {
    const [short, long] = [measureCpu(part.repeat(10_000)), measureCpu(part.repeat(200_000))];
    // Twenty times the length takes twenty times as long, and would take four hundred times as long if the time grew with its square.
    assert.ok(long < 100 * Math.max(short, 1_000), `${part}: ${short} and ${long} µs`);
  }
});
