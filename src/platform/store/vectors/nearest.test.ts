import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createNearestVectors, type VectorSource } from './nearest.ts';
import type { VectorBlock } from './protocol.ts';

const makeBlock = (key: string, ...vectors: number[][]): VectorBlock => ({
  key,
  dimensions: vectors[0]?.length ?? 0,
  values: new Float32Array(vectors.flat()),
});

/** A source whose blocks a test can change. It counts how many blocks were read. */
function makeSource(...blocks: VectorBlock[]): VectorSource & { blocks: VectorBlock[]; read_count: number } {
  return {
    version: 1,
    blocks,
    read_count: 0,
    list() {
      return Promise.resolve(this.blocks.map(({ key }) => key));
    },
    read(keys) {
      this.read_count += keys.length;
      // The thread takes over the memory of what it gets, so each read returns a copy.
      const found = this.blocks.filter(({ key }) => keys.includes(key));
      return Promise.resolve(found.map((block) => ({ ...block, values: block.values.slice() })));
    },
  };
}

const nearest = createNearestVectors();
after(() => nearest.close());
const find = async (owner: string, source: VectorSource, index = nearest) =>
  (await index.find({ owner, question: new Float32Array([1, 0]), limit: 10 }, source)).map(
    ({ key, place }) => `${key}${place}`,
  );

test('the nearest vectors come first, each with its block, its place and its cosine', async () => {
  const source = makeSource(makeBlock('a', [0, 1], [1, 0]), makeBlock('b', [0.8, 0.6], [-1, 0]));
  const question = new Float32Array([1, 0]);
  const near = await nearest.find({ owner: 'order', question, limit: 3 }, source);
  assert.deepEqual(
    near.map(({ key, place, score }) => [key, place, Number(score.toFixed(3))]),
    [
      ['a', 1, 1],
      ['b', 0, 0.8],
      ['a', 0, 0],
    ],
  );
});

test('vectors of another owner, and vectors with other dimensions, are never found', async () => {
  await find('one', makeSource(makeBlock('a', [1, 0])));
  assert.deepEqual(await find('two', makeSource(makeBlock('b', [1, 0]), makeBlock('c', [1, 0, 0]))), ['b0']);
  assert.deepEqual(await find('nobody', makeSource()), []);
});

test('after a change, only the blocks that are new are read, and those that are gone are not found', async () => {
  const source = makeSource(makeBlock('a', [1, 0]), makeBlock('b', [0.8, 0.6]));
  assert.deepEqual(await find('changes', source), ['a0', 'b0']);
  source.blocks = [makeBlock('b', [0.8, 0.6]), makeBlock('c', [0.6, 0.8])];
  assert.deepEqual(await find('changes', source), ['a0', 'b0']);
  source.version = 2;
  assert.deepEqual(await find('changes', source), ['b0', 'c0']);
  assert.equal(source.read_count, 3);
});

test('questions at the same moment load the vectors of their owner once', async () => {
  const source = makeSource(makeBlock('a', [1, 0]));
  const found = await Promise.all(Array.from({ length: 20 }, () => find('crowd', source)));
  assert.deepEqual(
    found,
    Array.from({ length: 20 }, () => ['a0']),
  );
  assert.equal(source.read_count, 1);
});

test('beyond the limit of memory, the owners whose last search is the longest ago are dropped, and loaded again when they search', async () => {
  const small = createNearestVectors(2 * 2 * Float32Array.BYTES_PER_ELEMENT);
  after(() => small.close());
  const [one, two, three] = ['one', 'two', 'three'].map((key) => makeSource(makeBlock(key, [1, 0])));
  assert.ok(one && two && three);
  const search = (owner: string, source: VectorSource) => find(owner, source, small);
  await search('one', one);
  await search('two', two);
  await search('one', one);
  await search('three', three);
  assert.deepEqual([await search('one', one), await search('two', two)], [['one0'], ['two0']]);
  assert.deepEqual([one.read_count, two.read_count, three.read_count], [1, 2, 1]);
});

test('a load that fails is tried again by the next question', async () => {
  const source = makeSource(makeBlock('a', [1, 0]));
  const broken = { ...source, list: () => Promise.reject(new Error('away')) };
  await assert.rejects(find('broken', broken), /away/);
  assert.deepEqual(await find('broken', source), ['a0']);
});
