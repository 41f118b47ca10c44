import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIMENSIONS, makeLocalVector } from './local-vectors.ts';

const compare = (a: string, b: string): number => {
  const other = makeLocalVector(b);
  return makeLocalVector(a).reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
};

test('a local vector has length 1, and its text alone decides it', () => {
  const vector = makeLocalVector('Entregamos bolos');
  assert.equal(vector.length, DIMENSIONS);
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
  assert.deepEqual(makeLocalVector('Entregamos bolos'), vector);
});

test('case, accents and punctuation make no difference to a local vector', () => {
  assert.deepEqual(makeLocalVector('Você é PÃO!'), makeLocalVector('voce e pao'));
});

test('a text is nearer to one with forms of its words, or with typing errors, than to another text', () => {
  const question = 'entrega de bolos';
  const other = compare(question, 'Aceitamos cartões de crédito');
  for (const near of ['Entregamos bolo na cidade', 'emtrega dos bollos'])
    assert.ok(compare(question, near) > other + 0.1, near);
});

test('a text without letters and digits has a vector of length 0', () => {
  for (const text of ['', ' ', '...!?', '😀']) assert.equal(Math.hypot(...makeLocalVector(text)), 0);
});
