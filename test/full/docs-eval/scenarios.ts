/**
 * What people ask of a coding agent that has only the address of the documentation, and how the platform shows whether it was done. No
 * model judges: the network's ledger, the records and the programs that the agent leaves behind tell.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../support/platform.ts';
import { makePhoneNumber } from '../../support/network.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { run } from './program.ts';
import type { EvalStage } from './stage.ts';
import { writeInChat } from './visitor.ts';

export interface Scenario {
  name: string;
  /** Prepares what the scenario needs, and returns facts for the others. */
  prepare?(stage: EvalStage): Promise<Json>;
  task(stage: EvalStage, facts: Json): string;
  /** Throws an error that says what is missing. */
  check(stage: EvalStage, facts: Json): Promise<void>;
}

/** The messages that reached a phone. */
async function listMessages({ platform }: EvalStage, phone: string): Promise<Json[]> {
  const { messages } = await platform.sandbox('GET', '/sandbox/messages');
  return (messages as Json[]).filter(({ to }) => to === phone);
}

const readWords = ({ body: { text, template } }: Json): string => text?.body ?? template?.name ?? '';

/** Throws unless exactly one message with these words, or of this template, has reached the phone. */
async function expectOnce(stage: EvalStage, phone: string, words: string): Promise<void> {
  const find = async (): Promise<Json[]> =>
    (await listMessages(stage, phone)).filter((message) => readWords(message) === words);
  await stage.within(`“${words}” at ${phone}`, async () => (await find()).length > 0);
  const count = (await find()).length;
  if (count > 1) throw new Error(`“${words}” reached ${phone} ${count} times`);
}

async function writeTo({ platform }: EvalStage, text: string): Promise<{ phone: string; id: string }> {
  const phone = makePhoneNumber();
  const { id } = await platform.receive({ from: phone, name: 'Maria', text });
  return { phone, id };
}

/** Sends every delivery of the webhook again, and waits until the receiver has got it. */
async function repeatDeliveries({ platform, within }: EvalStage): Promise<void> {
  const list = async (): Promise<Json[]> =>
    (await platform.call(200, 'GET', '/v1/webhooks/deliveries?event=MESSAGE_RECEIVED&limit=100')).body.result;
  const isDone = ({ status }: Json): boolean => status === 'DELIVERED';
  await within('the webhook to be delivered', async () => (await list()).some(isDone));
  const first = (await list()).filter(isDone);
  for (const { _id } of first) await platform.call(201, 'POST', `/v1/webhooks/deliveries/${_id}/replay`);
  await within('the webhook to accept a repeated delivery', async () => {
    const repeated = (await list()).filter(({ replay_of }) => replay_of !== null);
    return repeated.length >= first.length && repeated.every(isDone);
  });
}

const sendText: Scenario = {
  name: 'send a text',
  prepare: (stage) => writeTo(stage, 'Where is my order?'),
  task: (_stage, { phone }) =>
    `The contact with the WhatsApp number +${phone} has just written. Send them this WhatsApp text, once: Your order 4711 has arrived.`,
  check: (stage, { phone }) => expectOnce(stage, phone, 'Your order 4711 has arrived.'),
};

const answer: Scenario = {
  name: 'receive and answer',
  task: ({ port }) =>
    `Write answer.mjs, a program that listens on the port in the variable PORT (${port}) for the company's webhook and answers each text of a contact with “You wrote: ” and the text. ` +
    `It gets the address and the key in PARLEY_URL and PARLEY_KEY. Make the webhook post to http://127.0.0.1:${port}/. Do not leave the program running: we start it with “node answer.mjs”. ` +
    'The webhook can deliver an event again; a contact must never get an answer twice.',
  async check(stage) {
    await stage.startProgram('answer.mjs');
    const { phone } = await writeTo(stage, 'Oi');
    await expectOnce(stage, phone, 'You wrote: Oi');
    await repeatDeliveries(stage);
    await expectOnce(stage, phone, 'You wrote: Oi');
  },
};

const bulk: Scenario = {
  name: 'bulk send with a CSV',
  async prepare({ folder }) {
    const phones = Array.from({ length: 5 }, makePhoneNumber);
    const lines = phones.map((phone, index) => `Person ${index},+${phone}`);
    await writeFile(join(folder, 'people.csv'), ['name,phone', ...lines, ''].join('\n'));
    return { phones };
  },
  task: () =>
    'Send the WhatsApp template order_update in English (en_US) to everybody in people.csv, each once, with the first name of the contact and the order number 4821.',
  async check(stage, { phones }) {
    for (const phone of phones) await expectOnce(stage, phone, 'order_update');
  },
};

const campaign: Scenario = {
  name: 'campaign',
  async prepare({ platform }) {
    const phones = Array.from({ length: 3 }, makePhoneNumber);
    for (const [index, phone] of phones.entries())
      await platform.call(201, 'POST', '/v1/contacts', {
        body: { name: `Guest ${index}`, phone_number: `+${phone}`, tags: index < 2 ? ['vip'] : [] },
      });
    return { phones };
  },
  task: () =>
    'Start a campaign with the name Spring. It sends the WhatsApp template order_update in English (en_US), with the first name of the contact and the order number 4821, to all contacts with the tag vip, and to nobody else.',
  async check(stage, { phones }) {
    const [first, second, other] = phones as [string, string, string];
    for (const phone of [first, second]) await expectOnce(stage, phone, 'order_update');
    await stage.within('a campaign with the name Spring that is COMPLETED', async () => {
      const { body } = await stage.platform.call(200, 'GET', '/v1/campaigns?limit=100');
      return body.result.some(({ name, status }: Json) => name === 'Spring' && status === 'COMPLETED');
    });
    if ((await listMessages(stage, other)).length > 0) throw new Error('a contact without the tag got a message');
  },
};

const receiver: Scenario = {
  name: 'webhook receiver that survives repeats',
  task: ({ port }) =>
    `Write receiver.mjs, a program that listens on the port in the variable PORT (${port}) for the company's webhook and appends the text of each message that a contact writes to messages.txt, one line for each message. ` +
    `Make the webhook post to http://127.0.0.1:${port}/. The webhook can deliver an event again, also after the program was restarted; each message must be in the file once. We start it with “node receiver.mjs”.`,
  async check(stage) {
    await stage.startProgram('receiver.mjs');
    for (const text of ['one apple', 'two pears']) await writeTo(stage, text);
    const read = async (): Promise<string[]> =>
      (await readFile(join(stage.folder, 'messages.txt'), 'utf8').catch(() => '')).trim().split('\n').toSorted();
    await stage.within('both messages in messages.txt', async () => (await read()).length >= 2);
    await repeatDeliveries(stage);
    const lines = await read();
    if (lines.join() !== 'one apple,two pears') throw new Error(`messages.txt has ${JSON.stringify(lines)}`);
  },
};

const knowledge: Scenario = {
  name: 'knowledge and agent',
  task: () =>
    'Contacts who write to the company on WhatsApp should be answered by an agent that knows this: “The shop opens at half past nine. Parking is behind the house.” Set it up, so that everybody who writes from now on is answered.',
  async check(stage) {
    const { phone } = await writeTo(stage, 'When does the shop open?');
    await stage.within('an answer about the opening hours', async () =>
      (await listMessages(stage, phone)).some((message) => readWords(message).length > 0),
    );
    const { body } = await stage.platform.call(200, 'GET', '/v1/knowledge?limit=100');
    if (!body.result.some(({ status }: Json) => status === 'READY')) throw new Error('no knowledge item is READY');
  },
};

const lookUp: Scenario = {
  name: 'table look-up tool',
  task: () =>
    'Make a table Orders with the columns Number and State, and the rows A-17: shipped, and A-18: waiting for payment. Then make an agent (type AI) with the name Otto that looks up orders in this table when a contact asks.',
  async check({ platform }) {
    const { body } = await platform.call(200, 'GET', '/v1/agents?limit=100');
    const otto = body.result.find(({ name }: Json) => name === 'Otto');
    if (!otto) throw new Error('there is no agent with the name Otto');
    const tried = await platform.call(200, 'POST', `/v1/agents/${otto._id}/try`, {
      body: { message: 'What is the state of order A-17' },
    });
    if (!/shipped/.test(JSON.stringify(tried.body.answer))) throw new Error('Otto does not find the order A-17');
  },
};

const webChat: Scenario = {
  name: 'web chat on a page',
  task: ({ port }) =>
    `Write index.html, the page of a shop at http://127.0.0.1:${port}/, with the company's web chat on it. The chat is called Shop chat. What visitors write there must become conversations of the company.`,
  async check(stage) {
    await writeInChat(stage, 'Is this in stock?');
    await stage.within('the conversation of the visitor', async () => {
      const { body } = await stage.platform.call(200, 'GET', '/v1/messages?search=stock&limit=10');
      return body.result.some(({ channel }: Json) => channel === 'WEB_V2');
    });
  },
};

const FLOW = `import { readFileSync } from 'node:fs';
const { server, instance, apikey } = JSON.parse(readFileSync('flow.json', 'utf8'));
const [number, text] = process.argv.slice(2);
const answer = await fetch(\`\${server}/message/sendText/\${instance}\`, {
  method: 'POST',
  headers: { apikey, 'content-type': 'application/json' },
  body: JSON.stringify({ number, text }),
});
if (answer.status !== 201) throw new Error(await answer.text());
`;

const evolution: Scenario = {
  name: 'move an Evolution flow',
  async prepare({ folder }) {
    await writeFile(join(folder, 'flow.mjs'), FLOW);
    const old = { server: 'https://evolution.example.com', instance: 'shop', apikey: 'of the old server' };
    await writeFile(join(folder, 'flow.json'), JSON.stringify(old));
    return {};
  },
  task: () =>
    'flow.mjs sends WhatsApp texts through an Evolution API server that we have given up. Make it send through the company’s WhatsApp inbox by changing flow.json only. The key in it should be able to do no more than it needs.',
  async check(stage) {
    const { phone } = await writeTo(stage, 'Are you there?');
    await run(stage.folder, 'flow.mjs', [phone, 'Hello from the flow']);
    await expectOnce(stage, phone, 'Hello from the flow');
    const { apikey } = JSON.parse(await readFile(join(stage.folder, 'flow.json'), 'utf8'));
    await stage.platform.call(403, 'GET', '/v1/contacts', { key: apikey });
    if ((await readFile(join(stage.folder, 'flow.mjs'), 'utf8')) !== FLOW) throw new Error('flow.mjs was changed');
  },
};

const assistant: Scenario = {
  name: 'MCP assistant',
  task: () =>
    'Write mcp.json in the form that Cursor reads (mcpServers, with url and headers), with a server “parley”. The assistant should read conversations and contacts and write notes, and must not be able to send anything or change anything else.',
  async check({ platform, folder }) {
    const { mcpServers } = JSON.parse(await readFile(join(folder, 'mcp.json'), 'utf8').catch(() => '{}'));
    if (!mcpServers?.parley) throw new Error('mcp.json names no server parley');
    const { url, headers } = mcpServers.parley;
    const [address, query = ''] = String(url).split('?');
    const key = String(headers?.Authorization ?? headers?.authorization).replace('Bearer ', '');
    if (address !== `${platform.url}/mcp`) throw new Error(`the address ${address} is not that of the server`);
    const { listTools } = await connectMcp({ url: platform.url, key, query: query && `?${query}` });
    const names = (await listTools()).map(({ name }) => name);
    for (const name of ['list_conversations', 'get_contact', 'add_note'])
      if (!names.includes(name)) throw new Error(`the assistant has no tool ${name}`);
    for (const name of ['send_message', 'save_contact', 'update_conversation', 'save_row'])
      if (names.includes(name)) throw new Error(`the assistant has the tool ${name}`);
  },
};

export const SCENARIOS: readonly Scenario[] = [
  sendText,
  answer,
  bulk,
  campaign,
  receiver,
  knowledge,
  lookUp,
  webChat,
  evolution,
  assistant,
];
