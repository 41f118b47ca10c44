/** In which order companies have their facts counted, and when the work ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workInPortions } from '../../platform/store/portions.ts';
import { takeTurns } from './folding.ts';

const PORTION = 10;

/** Counts facts of companies until nothing is left to do, and returns whose portions were counted. */
async function count(facts: Record<string, number>, failing?: string): Promise<string[]> {
  const turns: string[] = [];
  const left = new Map(Object.entries(facts));
  const work = takeTurns(
    async (last) => [...left.keys()].toSorted().find((company) => company > last && left.get(company) !== 0) ?? null,
    async (company) => {
      turns.push(company);
      if (company === failing) throw new Error('failed');
      const portion = Math.min(PORTION, left.get(company) ?? 0);
      left.set(company, (left.get(company) ?? 0) - portion);
      return portion === PORTION;
    },
  );
  for (let isDone = false; !isDone;)
    try {
      await workInPortions(work);
      isDone = true;
    } catch (error) {
      assert.match(String(error), /failed/);
      if (turns.filter((company) => company === failing).length === 2) isDone = true;
    }
  return turns;
}

test('the work goes on until a round in which no portion was full, and companies take turns', async () => {
  assert.deepEqual(await count({ a: 25, b: 3, c: 10 }), ['a', 'b', 'c', 'a', 'a']);
  assert.deepEqual(await count({}), []);
});

test('after a company that fails the next one has its turn', async () => {
  assert.deepEqual(await count({ a: 11, b: 5, c: 12 }, 'b'), ['a', 'b', 'c', 'a', 'b']);
});
