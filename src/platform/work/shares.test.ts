import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopClock } from '../../../test/support/clock.ts';
import { inBackground } from './background.ts';
import { createShares, type Shares } from './shares.ts';

interface Held {
  began: string[];
  /** Starts work of an owner that runs until `letGo` ends it. */
  hold(owner: string): Promise<void>;
  /** Ends the oldest running work of the owner. */
  letGo(owner: string): void;
}

/** Records the order in which work begins, and lets the test end it. */
function holding(shares: Shares): Held {
  const began: string[] = [];
  const ends: { owner: string; end: () => void }[] = [];
  return {
    began,
    hold: (owner) =>
      shares.within(owner, () => {
        began.push(owner);
        return new Promise<void>((end) => ends.push({ owner, end }));
      }),
    letGo: (owner) => {
      const [oldest] = ends.splice(
        ends.findIndex((held) => held.owner === owner),
        1,
      );
      assert.equal(oldest?.owner, owner, `${owner} holds nothing`);
      oldest.end();
    },
  };
}

/** Starts one piece of work for each letter, which names its owner. */
const holdAll = (owners: string, hold: (owner: string) => Promise<void>): Promise<void>[] => owners.split('').map(hold);

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('companies that use many slots leave the reserved slots to companies that use none', async () => {
  const { began, hold, letGo } = holding(createShares(5, 10_000, { all: 10, kept: 2 }));
  const asked = holdAll('aaaaaaaabbbbbbbb', hold);
  await settled();
  assert.equal(began.join(''), 'aaaaabbb');
  for (const newcomer of 'cdefg') {
    const done = hold(newcomer);
    await settled();
    assert.equal(began.at(-1), newcomer);
    letGo(newcomer);
    await done;
  }
  // Further work of the two busy owners begins only when they free slots.
  for (let left = asked.length; left > 0; left -= 1) {
    letGo(began.filter((owner) => owner === 'a').length > asked.length - left ? 'a' : 'b');
    await settled();
  }
  await Promise.all(asked);
  assert.deepEqual([began.filter((owner) => owner === 'a').length, began.length], [8, 21]);
});

test('a free slot goes to the waiting company with the fewest slots, and companies with equally many take turns', async () => {
  const { began, hold, letGo } = holding(createShares(4, 10_000, { all: 4, kept: 0 }));
  const asked = holdAll('aaaaaabbbccc', hold);
  await settled();
  for (const owner of 'aaaabcaa') {
    letGo(owner);
    await settled();
  }
  assert.equal(began.join(''), 'aaaabcabcabc');
  for (const owner of 'bbcc') letGo(owner);
  await Promise.all(asked);
});

test('a company whose work used a slot for longer than others may wait gets no reserved slot for a while', async (t) => {
  const passMs = stopClock(t);
  const { began, hold, letGo } = holding(createShares(1, 100, { all: 2, kept: 1 }));
  const slow = hold('slow');
  await settled();
  passMs(101);
  letGo('slow');
  await slow;
  const first = hold('a');
  await assert.rejects(hold('slow'), { code: 'UNAVAILABLE' });
  const second = hold('b');
  await settled();
  assert.deepEqual(began, ['slow', 'a', 'b']);
  letGo('a');
  letGo('b');
  await Promise.all([first, second]);
});

test('work that waits too long for a slot is refused, and takes no slot from the work behind it', async () => {
  const shares = createShares(1, 20);
  let end = (): void => undefined;
  const first = shares.within('a', () => new Promise<void>((resolve) => (end = resolve)));
  await assert.rejects(
    shares.within('a', async () => undefined),
    { code: 'UNAVAILABLE' },
  );
  assert.equal(await shares.within('b', async () => 'at once'), 'at once');
  const next = shares.within('a', async () => 'in turn');
  end();
  await first;
  assert.equal(await next, 'in turn');
});

test('of a company only so much work waits, and more is refused at once', async () => {
  const { began, hold, letGo } = holding(createShares(1, 10_000, { all: 10, kept: 0, mostWaiting: 2 }));
  const asked = holdAll('aaa', hold);
  await assert.rejects(hold('a'), { code: 'UNAVAILABLE' });
  asked.push(hold('b'));
  for (const owner of 'baaa') {
    letGo(owner);
    await settled();
  }
  await Promise.all(asked);
  assert.equal(began.join(''), 'abaa');
});

test('work that fails frees its slot', async () => {
  const shares = createShares(1, 1_000);
  await assert.rejects(
    shares.within('a', async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  assert.equal(await shares.within('a', async () => 'free'), 'free');
});

test('where callers come first, background work of their owner waits behind them and leaves them a slot', async () => {
  const callersFirst = { left: 1, backgroundWaitMs: 10_000 };
  const { began, hold, letGo } = holding(createShares(3, 10_000, { all: 10, kept: 0, callersFirst }));
  const asked = holdAll('aaaaa', (owner) => inBackground(() => hold(owner)));
  await settled();
  assert.equal(began.join(''), 'aa');
  const callers: string[] = [];
  const call = (): Promise<void> => hold('a').then(() => void callers.push('ended'));
  const calls = [call(), call()];
  await settled();
  assert.equal(began.length, 3, 'a caller has the slot that was left');
  letGo('a');
  await settled();
  assert.equal(began.length, 4, 'the second caller came before the background work that had waited longer');
  for (let left = 6; left > 0; left -= 1) {
    letGo('a');
    await settled();
  }
  await Promise.all([...asked, ...calls]);
  assert.deepEqual([began.length, callers.length], [7, 2]);
});
