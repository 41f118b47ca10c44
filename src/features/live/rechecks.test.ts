/** How often the rights of those who have a stream are checked, while streams come and go. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Principal } from '../../platform/http/auth.ts';
import { createRechecks } from './rechecks.ts';
import { createViewer } from './viewer.ts';

const COMPANY = '0'.repeat(24);
const ROUND_MS = 4_000;
const principal: Principal = {
  type: 'company',
  id: '1'.repeat(24),
  companyId: COMPANY,
  scopes: ['contacts:read'],
  name: 'Key',
  expiresAt: null,
};

/** Creates rechecks whose look-ups of tokens wait until the test answers them. */
function openRechecks() {
  const held: (() => void)[] = [];
  const asked: string[] = [];
  const authenticate = ({ authorization = '' }): Promise<Principal> => {
    asked.push(authorization);
    return new Promise((resolve) => held.push(() => resolve(principal)));
  };
  const rechecks = createRechecks({
    auth: { authenticate, forget: () => undefined },
    companyExists: async () => true,
  });
  return {
    asked,
    begin: (authorization: string) =>
      rechecks.begin(createViewer({ scopes: [], inboxes: null }, null), COMPANY, { authorization }),
    letGo: async (): Promise<void> => {
      for (const go of held.splice(0)) go();
      await turn();
    },
  };
}

test('each stream is checked once in each round, also when the last of the streams before left while they were checked', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { asked, begin, letGo } = openRechecks();
    const endFirst = begin('first');
    mock.timers.tick(ROUND_MS);
    assert.deepEqual(asked, ['first']);
    endFirst();
    const endSecond = begin('second');
    await letGo();
    for (const rounds of [1, 2, 3]) {
      mock.timers.tick(ROUND_MS);
      assert.deepEqual(asked, ['first', ...Array.from({ length: rounds }, () => 'second')]);
      await letGo();
    }
    endSecond();
    mock.timers.tick(3 * ROUND_MS);
    assert.equal(asked.length, 4);
  } finally {
    mock.timers.reset();
  }
});

test('a round begins only after the one before, however long that takes', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { asked, begin, letGo } = openRechecks();
    const ends = [begin('first'), begin('second')];
    mock.timers.tick(ROUND_MS);
    assert.deepEqual(asked.toSorted(), ['first', 'second']);
    ends.push(begin('third'));
    mock.timers.tick(5 * ROUND_MS);
    assert.equal(asked.length, 2);
    await letGo();
    mock.timers.tick(ROUND_MS);
    assert.deepEqual(asked.slice(2).toSorted(), ['first', 'second', 'third']);
    await letGo();
    for (const end of ends) end();
  } finally {
    mock.timers.reset();
  }
});
