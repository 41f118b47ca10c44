import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { checkRefusals, expectProblem } from '../../../../test/support/refusals.ts';
import { startPlatform, type Company, type Json } from '../../../../test/support/platform.ts';

const platform = await startPlatform();

interface Given {
  _id: string;
  name?: string | null;
  email?: string | null;
  phone_number?: string | null;
  username?: string;
  custom_fields?: Json;
  created_at?: string;
}

async function insert(company: Company, contacts: Given[]): Promise<void> {
  await platform.database.sql(
    `insert into contacts (company_id, _id, name, email, phone_number, username, custom_fields, source, created_at)
      select $1, g._id, g.name, g.email, g.phone_number, g.username, coalesce(g.custom_fields, '{}'), 'API', coalesce(g.created_at, now())
      from jsonb_to_recordset($2) as g (_id text, name text, email text, phone_number text, username text, custom_fields jsonb, created_at timestamptz)`,
    [company._id, JSON.stringify(contacts)],
  );
}

const toId = (number: number): string => number.toString(16).padStart(24, '0');

async function list(company: Company, query: Record<string, string>): Promise<Json> {
  const { body } = await platform.call(200, 'GET', `/v1/contacts?${new URLSearchParams(query).toString()}`, {
    key: company.key,
  });
  return body;
}

async function searchNames(company: Company, search: string): Promise<(string | null)[]> {
  const { result } = await list(company, { search, limit: '100', sort: 'createdAt' });
  return result.map((contact: Json) => contact.name);
}

describe('pages of contacts', async () => {
  const company = await platform.createCompany();
  const COUNT = 45;

  before(async () => {
    // Two contacts at a time have the same time, so that the id decides their order.
    const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 2) * 1_000).toISOString();
    await insert(
      company,
      Array.from({ length: COUNT }, (_item, index) => ({
        _id: toId(index),
        name: `Person ${index % 3}`,
        created_at: at(index),
      })),
    );
    // The times of changes and of messages have the same order as the times of creation; the oldest third of the contacts has no message.
    await platform.database.sql(
      `update contacts set updated_at = created_at, last_message_at = case when _id > $2 then created_at end where company_id = $1`,
      [company._id, toId(COUNT / 3)],
    );
  });

  test('contacts are listed newest first, twenty on a page, with the total', async () => {
    const { result, meta } = await list(company, {});
    assert.deepEqual(
      result.map((contact: Json) => contact._id),
      Array.from({ length: 20 }, (_item, index) => toId(COUNT - 1 - index)),
    );
    const { nextCursor, ...rest } = meta;
    assert.equal(typeof nextCursor, 'string');
    assert.deepEqual(rest, { page: 1, limit: 20, totalCount: COUNT, totalPages: 3, hasNextPage: true });
  });

  for (const sort of ['createdAt', '-createdAt', '-updatedAt', '-last_message_at']) {
    for (const search of [undefined, 'person 1', 'person']) {
      test(`a list of contacts by page number and by cursor, sorted by ${sort}, search ${search ?? 'none'}, has each contact once and in order`, async () => {
        const query = { sort, limit: '7', ...(search === undefined ? {} : { search }) };
        const all = await list(company, { ...query, limit: '100' });
        const byNumber: string[] = [];
        const byCursor: string[] = [];
        let after: Record<string, string> = {};
        for (let page = 1; page <= all.meta.totalCount / 7 + 1; page += 1) {
          const numbered = await list(company, { ...query, page: String(page) });
          byNumber.push(...numbered.result.map((contact: Json) => contact._id));
          const { result, meta } = await list(company, { ...query, ...after });
          byCursor.push(...result.map((contact: Json) => contact._id));
          if (meta.nextCursor === null) break;
          after = { after: meta.nextCursor };
        }
        const ids = all.result.map((contact: Json) => contact._id);
        assert.equal(all.meta.totalCount, ids.length);
        assert.deepEqual(ids, sort === 'createdAt' ? ids.toSorted() : ids.toSorted().toReversed());
        assert.deepEqual(byNumber, ids);
        assert.deepEqual(byCursor, ids);
      });
    }
  }

  test('skipCount leaves the total of contacts out, also with a search', async () => {
    for (const search of [{}, { search: 'person 2' }]) {
      const { meta } = await list(company, { skipCount: 'true', ...search });
      assert.deepEqual([meta.totalCount, meta.totalPages], [null, null]);
    }
  });

  test('a list shows no contact of another company, whatever its parameters are', async () => {
    const other = await platform.createCompany();
    for (const query of [{}, { search: 'person' }, { search: toId(1) }]) {
      const { result, meta } = await list(other, query as Record<string, string>);
      assert.deepEqual([result, meta.totalCount], [[], 0]);
    }
  });

  test('an invalid page, limit or cursor is refused with its name', async () => {
    for (const [name, value] of [
      ['limit', '101'],
      ['page', '0'],
      ['after', 'x'],
      ['sort', 'name'],
      ['skipCount', 'maybe'],
    ] as const) {
      const answer = await platform.call(400, 'GET', `/v1/contacts?${name}=${value}`);
      expectProblem(answer, 'VALIDATION_FAILED', name);
    }
  });
});

describe('the look-up of contacts by their ids', async () => {
  const company = await platform.createCompany();
  const other = await platform.createCompany();
  const ids = [1, 2, 3].map((number) => toId(0xd00 + number)) as [string, string, string];
  const foreign = toId(0xe00);

  before(async () => {
    await insert(
      company,
      ids.map((_id) => ({ _id, name: `Person ${_id}` })),
    );
    await insert(other, [{ _id: foreign, name: 'Person' }]);
  });

  const look = async (query: Record<string, string>): Promise<string[]> => {
    const { result } = await list(company, { sort: 'createdAt', ...query });
    return result.map((contact: Json) => contact._id);
  };

  test('exactly the contacts with the given ids are answered', async () => {
    assert.deepEqual(await look({ ids: `${ids[2]},${ids[0]}` }), [ids[0], ids[2]]);
    assert.deepEqual(await look({ ids: `${ids[2]},${ids[0]}`, search: ids[2] }), [ids[2]]);
  });

  test('ids of no one and ids of another company find nothing', async () => {
    assert.deepEqual(await look({ ids: `${foreign},${toId(0xf00)},${ids[1]}` }), [ids[1]]);
  });

  test('a hundred ids are accepted, and more or malformed ones are refused', async () => {
    const many = (count: number): string => Array.from({ length: count }, (_item, index) => toId(index)).join(',');
    assert.deepEqual(await look({ ids: many(100) }), []);
    for (const wrong of [many(101), 'x', '', `${ids[0]},`]) {
      const answer = await platform.call(400, 'GET', `/v1/contacts?ids=${wrong}`, { key: company.key });
      expectProblem(answer, 'VALIDATION_FAILED', 'ids');
    }
  });
});

describe('the search for a contact', async () => {
  const company = await platform.createCompany();
  const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const id = 'abcdef0123456789abcdef01';

  before(() =>
    insert(company, [
      {
        _id: id,
        name: 'José da Conceição',
        email: 'Ze@Example.test',
        phone_number: '+5511987654321',
        created_at: at(1),
      },
      {
        _id: toId(2),
        name: '100% Açúcar_Mascavo \\ Ltda',
        email: null,
        phone_number: '+551133224455',
        username: 'doces_ltda.9',
        created_at: at(2),
      },
      { _id: toId(3), name: null, email: 'maria.zq@example.test', phone_number: null, created_at: at(3) },
      { _id: toId(4), name: 'Ольга Жукова', email: null, phone_number: '+79161234567', created_at: at(4) },
      { _id: toId(5), name: 'Jose\u0301 Decomposto', email: null, phone_number: null, created_at: at(5) },
    ]),
  );

  test('a contact is found by its whole id and not by a part of it', async () => {
    assert.deepEqual(await searchNames(company, id), ['José da Conceição']);
    assert.deepEqual(await searchNames(company, id.slice(0, 23)), []);
  });

  test('a contact is found by a part of its name, in any case and with or without accents, composed or not', async () => {
    for (const search of ['jose', 'JOSÉ', 'jose\u0301']) {
      assert.deepEqual(
        await searchNames(company, search),
        ['José da Conceição', 'José Decomposto'.normalize('NFD')],
        search,
      );
    }
    assert.deepEqual(await searchNames(company, 'da conceicao'), ['José da Conceição']);
    assert.deepEqual(await searchNames(company, 'ЖУК'), ['Ольга Жукова']);
    assert.deepEqual(await searchNames(company, 'жу'), ['Ольга Жукова']);
  });

  test('a contact is found by a part of its e-mail', async () => {
    assert.deepEqual(await searchNames(company, 'ze@EXAMPLE'), ['José da Conceição']);
    assert.deepEqual(await searchNames(company, 'zq'), [null]);
  });

  test('a contact is found by a part of its username, in any case and with or without the @', async () => {
    for (const search of ['doces_ltda', '@doces', 'S_LTDA.9', '@lt', 'oc', '@DOCES_LTDA.9'])
      assert.deepEqual(await searchNames(company, search), ['100% Açúcar_Mascavo \\ Ltda'], search);
    assert.deepEqual(await searchNames(company, '@docesltda'), []);
  });

  test('a contact is found by a part of its phone number, however it is written', async () => {
    for (const search of ['98765', '+55 (11) 98765-4321', '11 9.8765', '5511987654321', '7654-32']) {
      assert.deepEqual(await searchNames(company, search), ['José da Conceição'], search);
    }
    assert.deepEqual(await searchNames(company, '98765x'), []);
    assert.deepEqual(await searchNames(company, '+()-'), []);
  });

  test('search for %, _ and \\ finds only contacts that have these characters', async () => {
    for (const search of ['100%', '%', 'r_m', '_m', '\\', '\\ l']) {
      assert.deepEqual(await searchNames(company, search), ['100% Açúcar_Mascavo \\ Ltda'], search);
    }
    for (const search of ['1%', 'a_c', '%%', '\\\\']) assert.deepEqual(await searchNames(company, search), [], search);
  });
});

test('the list of contacts needs the scope to read contacts', () =>
  checkRefusals(platform, { method: 'GET', path: '/v1/contacts', scope: 'contacts:read' }));

test('the contacts of a business are listed, also with a search, and a business of another company is refused like an unknown one', async () => {
  const company = await platform.createCompany();
  const other = await platform.createCompany();
  const create = async (path: string, body: Json): Promise<string> =>
    (await platform.call(201, 'POST', path, { key: company.key, body })).body._id;
  const business = await create('/v1/businesses', { name: 'Padaria Estrela' });
  const ana = await create('/v1/contacts', { name: 'Ana', business });
  const rui = await create('/v1/contacts', { name: 'Rui', business });
  await create('/v1/contacts', { name: 'Ana Souza' });
  const read = async (from: Company, query: Record<string, string>): Promise<string[]> =>
    (await list(from, { business, ...query })).result.map(({ _id }: Json) => _id);
  assert.deepEqual(await read(company, {}), [rui, ana]);
  assert.deepEqual(await read(company, { search: 'ana' }), [ana]);
  for (const unknown of [business, toId(0xabc)]) {
    const answer = await platform.call(400, 'GET', `/v1/contacts?business=${unknown}`, { key: other.key });
    expectProblem(answer, 'UNKNOWN_REFERENCE', 'business');
  }
});
