/** Contacts that are programs which answer each answer. A server of the company answers for the agent, whose handoff is disabled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendJson, startModel } from '../../../../test/support/model.ts';
import { makePhoneNumber } from '../../../../test/support/network.ts';
import { startPlatform, type Json } from '../../../../test/support/platform.ts';
import { silenceNetwork, writeAsContact } from '../../../../test/support/traffic.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const server = await startModel();
server.answer((_call, response) => sendJson(response, { text: 'Como posso ajudar?' }));
const platform = await startPlatform();
await silenceNetwork(platform);
const { call, database, demo } = platform;

const handoff = { enabled: false, keywords: [], max_turns: 1 };
const body = { name: 'Ana', type: 'EXTERNAL', url: server.url, handoff };
const agent = (await call(201, 'POST', '/v1/agents', { body })).body._id;
await call(200, 'PUT', `/v1/inboxes/${demo.inbox}`, { body: { default_agent: agent } });

/** A contact that writes texts and waits for the agent after each. */
interface Talk {
  from: string;
  conversation: string;
  turns: Json[];
}

type Words = string | { tap: string };

const toMessage = (words: Words): Json =>
  typeof words === 'string'
    ? { text: words }
    : { type: 'interactive', raw: { interactive: { type: 'list_reply', list_reply: { id: '1', title: words.tap } } } };

/** Writes as the contact, and returns the turn with which the agent has answered. `seconds` is how long after the last answer that was. */
async function write(talk: Talk, words: Words, seconds = 30): Promise<Json> {
  const { conversation, message } = await writeAsContact(platform, { from: talk.from, ...toMessage(words) });
  talk.conversation = conversation._id;
  await database.sql(
    `update messages m set created_at = m.created_at + (select r.created_at - make_interval(secs => $3) - max(o.created_at)
        from messages r, messages o where r._id = $2 and o.conversation_id = $1 and o._id <> $2 group by r.created_at)
      where m.conversation_id = $1 and m._id <> $2`,
    [talk.conversation, message._id, seconds],
  );
  const turn = await waitUntil('the turn of the agent', async () => {
    await database.sql(
      'update pending_turns set held_until = now() where conversation_id = $1 and claimed_at is null and not is_waiting',
      [talk.conversation],
    );
    const open = 'select from agent_turns where conversation_id = $1 and settle_until is not null';
    if ((await database.sql(open, [talk.conversation])).length > 0) return null;
    const { result } = (await call(200, 'GET', `/v1/agents/turns?conversation=${talk.conversation}`)).body;
    return result.find(({ asked }: Json) => asked === message._id);
  });
  talk.turns.push(turn);
  return turn;
}

const meet = (): Talk => ({ from: makePhoneNumber(), conversation: '', turns: [] });
async function writeAll(texts: Words[], seconds?: number): Promise<Talk> {
  const talk = meet();
  for (const text of texts) await write(talk, text, seconds);
  return talk;
}
const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const listReasons = ({ turns }: Talk): unknown[] => turns.map(({ reason }) => reason);
const readHandler = async ({ conversation }: Talk): Promise<string> =>
  (await call(200, 'GET', `/v1/conversations/${conversation}`)).body.handled_by;

/** Stores messages as if agents had sent them to the contact, `apart` seconds after each other. */
const addAnswers = ({ conversation }: Talk, count: number, apart: number): Promise<unknown> =>
  database.sql(
    `insert into messages (company_id, _id, conversation_id, contact_id, inbox_id, channel, sender_type, message_type, origin, content_type,
        content, status, created_at)
      select company_id, substr(md5(_id || n), 1, 24), conversation_id, contact_id, inbox_id, channel, 'AGENT', 'OUTGOING',
        case when n % 2 = 0 then 'AGENT' else 'FOLLOWUP' end, 'TEXT', 'Oi', 'SENT', created_at - make_interval(secs => n * $3)
      from (select * from messages where conversation_id = $1 and message_type = 'INCOMING' order by created_at limit 1) first,
        generate_series(1, $2::int) n`,
    [conversation, count, apart],
  );

/** The first message of a contact is no reply, so this is one answer more than the replies that a limit allows. */
const endsAfter = (answers: number): unknown[] => [...repeat(answers, () => null), 'AUTOMATED_CONTACT'];

test('a contact whose texts repeat within seconds of our answers, but for their numbers, gets four answers and then a person', async () => {
  const talk = await writeAll(
    repeat(5, (n) => `${n % 2 ? 'RECEBEMOS' : 'Recebemos'} o chamado nº ${7_310 + n}. Até já!`),
    5,
  );
  assert.deepEqual(listReasons(talk), endsAfter(4));
  assert.equal(await readHandler(talk), 'HUMAN');
});

test('a contact that repeats exactly the same text gets four answers and then a person, also hours apart', async () => {
  for (const seconds of [40, 4 * 3_600])
    assert.deepEqual(
      listReasons(
        await writeAll(
          repeat(5, () => 'Recebemos o chamado nº 7310.'),
          seconds,
        ),
      ),
      endsAfter(4),
    );
});

test('people who ask for one number after the other, go back to a menu, or tap buttons go on being answered', async () => {
  const choices = ['Segunda via do boleto', 'Horário da loja', 'Falar da entrega', 'Trocar um produto'];
  const menu = repeat(10, (n) => (n % 2 ? 'Voltar ao menu principal' : (choices[(n / 2) % 4] ?? '')));
  const talks = [
    await writeAll(
      repeat(6, (n) => `Status do pedido ${4_711 + n}`),
      40,
    ),
    await writeAll(
      repeat(6, (n) => `Segunda via da fatura de 0${n + 1}/2026, por favor`),
      40,
    ),
    await writeAll(menu, 40),
    await writeAll(
      repeat(12, (n) => ({ tap: n % 2 ? 'Voltar ao menu principal' : 'Segunda via do boleto' })),
      2,
    ),
    await writeAll(
      repeat(6, () => ({ tap: 'Voltar ao menu principal' })),
      2,
    ),
  ];
  for (const talk of talks)
    assert.deepEqual(
      listReasons(talk),
      repeat(talk.turns.length, () => null),
    );
});

test('a contact that replies with different sentences every 16 seconds gets a person after ten in a row, and not with a short word between', async () => {
  const texts = repeat(11, (n) => `${'abcdefghijk'[n]} Entendi, e como posso ajudar agora?`);
  assert.deepEqual(listReasons(await writeAll(texts, 16)), endsAfter(10));
  for (const talk of [await writeAll(texts.with(5, 'Sim, claro'), 16), await writeAll(texts, 25)])
    assert.deepEqual(
      listReasons(talk),
      repeat(11, () => null),
    );
});

test('a contact whose long texts come within seconds of our answers five times in a row gets a person', async () => {
  const texts = repeat(
    6,
    (n) => `${'abcdef'[n]} ${'Obrigado pelo seu contato com a nossa central de ajuda. '.repeat(n + 2)}`,
  );
  assert.deepEqual(listReasons(await writeAll(texts, 2)), endsAfter(5));
});

test('people who write quickly, say the same short word again, or paste a long text go on being answered', async () => {
  const pasted = repeat(7, (n) =>
    n === 3 ? 'Sim' : `${'abcdefg'[n]} ${'O meu pedido ainda não chegou. '.repeat(n + 3)}`,
  );
  const talks = [
    await writeAll(repeat(8, () => 'Não')),
    await writeAll(pasted, 2),
    await writeAll(
      repeat(7, (n) => `${'abcdefg'[n]} ${'Eu queria saber do meu pedido, que não chegou. '.repeat(n + 2)}`),
      6,
    ),
  ];
  for (const talk of talks)
    assert.deepEqual(
      listReasons(talk),
      repeat(talk.turns.length, () => null),
    );
});

test('a contact gets at most 40 messages of agents in ten minutes and 200 in a day, in all conversations together', async () => {
  for (const [count, apart] of [
    [40, 10],
    [200, 300],
  ] as const) {
    const talk = await writeAll(['Oi']);
    await addAnswers(talk, count - 2, apart);
    assert.equal((await write(talk, 'Tudo bem?')).outcome, 'ANSWERED');
    assert.equal((await write(talk, 'Qual o preço?')).reason, 'AUTOMATED_CONTACT');
    await call(200, 'PATCH', `/v1/conversations/${talk.conversation}`, { body: { status: 'CLOSED' } });
    assert.equal((await write(talk, 'E o horário?')).reason, 'AUTOMATED_CONTACT');
  }
});

test('when a person hands the conversation back, the agent answers a contact again that it took for a program', async () => {
  const talk = await writeAll(repeat(5, () => 'Recebemos o seu chamado.'));
  assert.equal(talk.turns.at(-1)?.['reason'], 'AUTOMATED_CONTACT');
  await call(200, 'PATCH', `/v1/conversations/${talk.conversation}`, { body: { handled_by: 'AI' } });
  assert.equal((await write(talk, 'Recebemos o seu chamado.')).outcome, 'ANSWERED');
});
