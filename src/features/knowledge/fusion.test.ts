import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuseRanks, type Fused } from './fusion.ts';

const fuse = (lists: string[], weights: number[] = []): Fused<string>[] =>
  fuseRanks(
    lists.map((list, at) => ({ entries: list.split(''), weight: weights[at] ?? 1 })),
    (entry) => entry,
  );
const order = (...asked: Parameters<typeof fuse>): string =>
  fuse(...asked)
    .map(({ entry }) => entry)
    .join('');

test('what all lists have near their beginning comes before what one list has', () => {
  assert.equal(order(['abc', 'xac', 'yca']), 'acxyb');
  assert.equal(order(['ab', '', '']), 'ab');
  assert.equal(order(['', '']), '');
});

test('the first of a list that counts more comes before the first of others', () => {
  assert.equal(order(['ab', 'ba', 'ba'], [1, 0.3, 0.3]), 'ab');
  assert.equal(order(['ab', 'ba', 'ba'], [1, 1, 1]), 'ba');
});

test('the score is 1 for what is the first of all lists, and falls from place to place', () => {
  const scores = fuse(['abc', 'abc'], [1, 0.3]).map(({ score }) => score);
  assert.equal(scores[0], 1);
  assert.ok(scores.every((score, place) => place === 0 || score < (scores[place - 1] ?? 0)));
});
