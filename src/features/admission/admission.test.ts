import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../test/support/database.ts';
import { createChance, readSeed } from '../../../test/full/harness/chance.ts';
import { SILENT } from '../../channels/channel.ts';
import { findRefusal, refusalSql, RULES, type Asking, type Caller } from './admission.ts';
import type { Bind, Facts, FactsSql } from './recipient-sql.ts';

const database = await openTestDatabase();
after(database.close);

const FACTS: Record<keyof Facts, string> = {
  blocked: 'boolean',
  opted_out: 'boolean',
  name: 'text',
  is_engaged: 'boolean',
  country_code: 'text',
  is_resting: 'boolean',
  window_open: 'boolean',
};
const CALLERS: Caller[] = ['MESSAGE', 'BULK', 'CAMPAIGN'];

/** Every combination of the given values. */
const every = <Shape extends object>(values: { [Name in keyof Shape]: Shape[Name][] }): Shape[] =>
  Object.entries<unknown[]>(values).reduce<object[]>(
    (before, [name, choices]) => before.flatMap((one) => choices.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as Shape[];

test('a statement about many people refuses those whom the rules refuse one by one, by the same code', async (t) => {
  const seed = readSeed();
  t.diagnostic(`SEED=${seed}`);
  const { int, pick } = createChance(seed);
  const chance = (): boolean => int(7) === 0;
  const makePerson = (): Facts => ({
    blocked: chance(),
    opted_out: chance(),
    name: pick([null, 'PHONE 5511', 'BSUID br.1', 'PHONE 5521']),
    is_engaged: chance(),
    country_code: pick([null, 'BR', 'US']),
    is_resting: chance(),
    window_open: chance(),
  });
  const askings = CALLERS.flatMap((caller) =>
    every<Omit<Asking, 'caller' | 'channel'> & { window24h: boolean }>({
      inboxStatus: ['ACTIVE', 'DELETED'],
      testPeople: [null, [], ['PHONE 5511', 'BSUID br.1']],
      contentType: ['TEMPLATE', 'TEXT', 'STICKER'],
      writesToActive: [false, true],
      undeliveredIn: [[], ['US']],
      restingCodes: [[], ['131049']],
      window24h: [false, true],
    }).map(({ window24h, ...rest }): Asking => {
      const can = { ...SILENT.can, content: ['TEXT' as const, 'TEMPLATE' as const], window24h };
      return { ...rest, caller, channel: { can } };
    }),
  );
  const found = new Set<string>();
  for (const asking of askings) {
    const people = Array.from({ length: 50 }, makePerson);
    const values: unknown[] = [JSON.stringify(people)];
    const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
    const columns = Object.entries(FACTS).map(([name, type]) => `${name} ${type}`);
    const expression = refusalSql(
      Object.fromEntries(Object.keys(FACTS).map((name) => [name, name])) as FactsSql,
      asking,
      bind,
    );
    const rows = await database.sql(
      `select ${expression} as code from rows from (jsonb_to_recordset($1) as (${columns.join(', ')})) with ordinality order by ordinality`,
      values,
    );
    const expected = people.map((person) => findRefusal(person, asking)?.code ?? null);
    assert.deepEqual(
      rows.map(({ code }) => code),
      expected,
      JSON.stringify(asking),
    );
    for (const code of expected) found.add(`${asking.caller} ${code}`);
  }
  for (const { codes } of RULES)
    for (const caller of CALLERS) if (codes[caller]) assert.ok(found.has(`${caller} ${codes[caller]}`), codes[caller]);
});
