import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statement } from './db.ts';
import { findNames, groupIds } from './names.ts';
import type { TenantRead } from './tenant.ts';

test('names are asked for with one statement for each kind of which there are ids, each id once', async () => {
  const asked: Statement[] = [];
  const tx = {
    companyId: 'company',
    query: async (statement: Statement) => {
      asked.push(statement);
      return [
        { _id: '1', name: 'Ana' },
        { _id: '2', name: null },
      ];
    },
  } as unknown as TenantRead;
  const queries = { users: 'select users', teams: 'select teams', agents: 'select agents' };
  const ids = groupIds([
    ['users', '1'],
    ['users', '2'],
    ['users', '1'],
    ['teams', null],
  ] satisfies [keyof typeof queries, string | null][]);
  assert.deepEqual([...(await findNames(tx, queries, ids))], [['1', 'Ana']]);
  assert.deepEqual(
    asked.map(({ name, values }) => [name, values]),
    [['names.users', ['company', ['1', '2']]]],
  );
});
