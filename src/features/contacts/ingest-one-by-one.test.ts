/** People whom a network reports in one batch become the same contacts as people whom it reports one at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EMAIL_ADDRESS,
  EXTERNAL_ID,
  PHONE_NUMBER,
  VISITOR,
  type Identity,
  type Person,
} from '../../channels/identity.ts';
import { createChance, readSeed } from '../../../test/full/harness/chance.ts';
import { startPlatform } from '../../../test/support/platform.ts';
import { findOrCreatePeople } from './ingest-people.ts';

const platform = await startPlatform();
const { database } = platform;
const chance = createChance(readSeed());

const VISITORS = [1, 2, 3].map((n) => VISITOR.identify(`65f0a1b2c3d4e5f60718293${n}`));
const EMAILS = ['a@one.example', 'b@one.example', 'A@one.example'].map(EMAIL_ADDRESS.identify);
const PHONES = ['+5511988882571', '+551188882571', '+5511988882572'].map(PHONE_NUMBER.identify);
const IDS = ['x1', 'x2'].map(EXTERNAL_ID.identify);

function drawPerson(): Person {
  const names = chance.shuffle([VISITORS, EMAILS, PHONES, IDS]).slice(0, 1 + chance.int(3));
  return {
    names: names.map((kind) => chance.pick(kind)),
    ...(chance.int(2) === 0 ? { displayName: chance.pick(['Ana', 'Bia']) } : {}),
    ...(chance.int(2) === 0 ? { username: chance.pick(['ana', 'bia', null]) } : {}),
  };
}

/** Reports the people in these batches. Returns the people with the same contact, and the contacts with their identities. */
async function report(batches: Person[][]): Promise<{ same: number[]; contacts: Record<string, unknown>[] }> {
  const { _id: company } = await platform.createCompany();
  const found: string[] = [];
  for (const batch of batches) {
    const asked = batch.map((person) => ({ company, person }));
    const { contacts } = await platform.running.kit.database.systemTx(`company:${company}`, (tx) =>
      findOrCreatePeople(tx, asked),
    );
    found.push(...contacts);
  }
  const contacts = await database.sql<Record<string, unknown> & { _id: string }>(
    `select _id, name, username, email, phone_number, country_code, external_id, array(
        select kind || ' ' || value || ' ' || address from contact_identities i where i.contact_id = c._id order by 1) as identities
      from contacts c where company_id = $1`,
    [company],
  );
  const rank = (id: string): number => found.indexOf(id);
  return {
    same: found.map(rank),
    contacts: contacts.toSorted((a, b) => rank(a._id) - rank(b._id)).map(({ _id, ...rest }) => rest),
  };
}

const singly = (people: Person[]): Person[][] => people.map((person) => [person]);

test('people in one batch become the contacts that they would become one at a time', async (t) => {
  t.diagnostic(`SEED=${chance.seed}`);
  for (let round = 0; round < 40; round += 1) {
    const [before, people] = [3, 8].map((count) => Array.from({ length: count }, drawPerson)) as [Person[], Person[]];
    const said = `SEED=${chance.seed}: ${JSON.stringify({ before, people })}`;
    assert.deepEqual(
      await report([...singly(before), people]),
      await report([...singly(before), ...singly(people)]),
      said,
    );
  }
});

test('an e-mail that one batch reports for two contacts is shown only by the first', async () => {
  const [first, second] = VISITORS.map((visitor) => [visitor]) as [Identity[], Identity[]];
  const email = EMAIL_ADDRESS.identify('a@one.example');
  const batch = [{ names: [...first, email] }, { names: [...second, email] }];
  const { contacts } = await report([[{ names: first }], [{ names: second }], batch]);
  assert.deepEqual(
    contacts.map((contact) => contact.email),
    ['a@one.example', null],
  );
});
