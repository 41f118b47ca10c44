/** Sends messages to a Graph API on the loopback address, through the real HTTP client of the platform for calls to the outside. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { OutboundMessage } from '../channel.ts';
import { createOutbound } from '../../platform/outside/outbound.ts';
import { createGraph } from './graph.ts';
import { toPerson } from './person.ts';
import type { WapConfig } from './settings.ts';
import { createWapSender, retryDelayMs } from './send.ts';

interface Received {
  line: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: unknown;
}

type Answer = (response: ServerResponse, request: Received) => void;

const TOKEN = 'EAAG-invented-token-1';
const SECRET = 'app-secret-1';
const outbound = createOutbound({ allow: [], trusted: [] });
/** Each test uses a different phone number id, so that tests can run at the same time on one server. */
const scripts = new Map<string, Answer[]>();
const received = new Map<string, Received[]>();
let nextNumber = 100;
let origin = '';

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks = await request.toArray();
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks as Buffer[]).toString());
}

const server = createServer((request, response) => {
  void readBody(request).then((body) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
    const key = pathname.split('/')[2] ?? '';
    const item = { line: `${request.method} ${pathname}`, query, authorization: request.headers.authorization, body };
    received.set(key, [...(received.get(key) ?? []), item]);
    const answer = scripts.get(key)?.shift();
    if (answer) answer(response, item);
    else response.writeHead(599).end('no answer was prepared');
  });
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const reply =
  (status: number, body: unknown): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const refusal = (code: number, status = 400, extra = {}) =>
  reply(status, { error: { message: `refused ${code}`, code, ...extra } });
const acceptance = reply(200, {
  messaging_product: 'whatsapp',
  contacts: [{ input: '5585991230001', wa_id: '558591230001' }],
  messages: [{ id: 'wamid.OUT1', message_status: 'accepted' }],
});

function createSenderWithAnswers(answers: Answer[], options: { appSecret?: string | null; graphUrl?: string } = {}) {
  const number = String((nextNumber += 1));
  scripts.set(number, answers);
  const config: WapConfig = { phone_number_id: number, business_id: '9', waba_id: `${number}9`, business_token: TOKEN };
  const { appSecret = null, graphUrl = origin } = options;
  const sender = createWapSender(createGraph({ graphUrl, appSecret, outbound }));
  return { sender, config, number, calls: () => received.get(number) ?? [] };
}

const textMessage = (content: string, over: Partial<OutboundMessage> = {}): OutboundMessage => ({
  messageId: '65f0a1b2c3d4e5f60718293a',
  to: toPerson({ phone: '5585991230001' }),
  content: { contentType: 'TEXT', content },
  file: null,
  replyTo: null,
  ...over,
});
const limitTime = () => AbortSignal.timeout(600_000);

describe('sending text', { concurrency: true }, () => {
  test("the call that sends a text has the recipient, the text and the platform's message id, and an accepted message gets the network's id", async () => {
    const { sender, config, number, calls } = createSenderWithAnswers([acceptance]);
    const result = await sender.sendMessage(textMessage('Bom dia!'), config, limitTime());
    assert.deepEqual(result, {
      outcome: 'accepted',
      externalId: 'wamid.OUT1',
      person: toPerson({ phone: '558591230001' }),
    });
    assert.equal(calls()[0]?.line, `POST /v26.0/${number}/messages`);
    assert.equal(calls()[0]?.authorization, `Bearer ${TOKEN}`);
    assert.equal(calls()[0]?.query.size, 0);
    assert.deepEqual(calls()[0]?.body, {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '5585991230001',
      type: 'text',
      text: { body: 'Bom dia!', preview_url: false },
      biz_opaque_callback_data: '65f0a1b2c3d4e5f60718293a',
    });
  });

  test('a reply names the message that it answers, a link gets a preview, and a person without a phone number is addressed by user id', async () => {
    const byUserId = reply(200, { contacts: [{ user_id: 'BR.7' }], messages: [{ id: 'wamid.OUT2' }] });
    const { sender, config, calls } = createSenderWithAnswers([byUserId]);
    const content = 'Veja HTTPS://loja.example/a';
    const result = await sender.sendMessage(
      textMessage(content, { to: toPerson({ bsuid: 'BR.7' }), replyTo: 'wamid.IN1' }),
      config,
      limitTime(),
    );
    assert.deepEqual(result, { outcome: 'accepted', externalId: 'wamid.OUT2', person: toPerson({ bsuid: 'BR.7' }) });
    const { to, recipient, context, text } = (calls()[0]?.body ?? {}) as Record<string, unknown>;
    assert.deepEqual(
      { to, recipient, context, text },
      {
        to: undefined,
        recipient: 'BR.7',
        context: { message_id: 'wamid.IN1' },
        text: { body: content, preview_url: true },
      },
    );
  });

  test('a WAP_GRAPH_URL may name a version and end in slashes, and with an app secret each call proves its token', async () => {
    const { sender, config, number, calls } = createSenderWithAnswers([acceptance], {
      graphUrl: `${origin}/v31.0//`,
      appSecret: SECRET,
    });
    await sender.sendMessage(textMessage('Bom dia!'), config, limitTime());
    assert.equal(calls()[0]?.line, `POST /v31.0/${number}/messages`);
    const proof = createHmac('sha256', SECRET).update(TOKEN).digest('hex');
    assert.equal(calls()[0]?.query.get('appsecret_proof'), proof);
  });

  test("a refused message is not sent again, and its error has the network's code, title, message and details", async () => {
    const error = {
      message: '(#131030) Not allowed',
      type: 'OAuthException',
      code: 131030,
      error_data: { details: 'Add it first.' },
      is_transient: true,
    };
    const { sender, config, calls } = createSenderWithAnswers([reply(400, { error })]);
    assert.deepEqual(await sender.sendMessage(textMessage('Bom dia!'), config, limitTime()), {
      outcome: 'rejected',
      error: { code: 131030, title: 'Not allowed', message: '(#131030) Not allowed', details: 'Add it first.' },
      network: true,
    });
    assert.equal(calls().length, 1);
  });

  for (const code of [1, 2, 131000, 131016, 130429, 131057, 133004]) {
    test(`a send is tried again after a refusal with code ${code}`, async () => {
      const { sender, config, calls } = createSenderWithAnswers([refusal(code, 500), acceptance]);
      assert.equal((await sender.sendMessage(textMessage('Bom dia!'), config, limitTime())).outcome, 'accepted');
      assert.equal(calls().length, 2);
    });
  }

  test('a message to a network that stays down is tried three times and then rejected', async () => {
    const { sender, config, calls } = createSenderWithAnswers([
      refusal(131016),
      refusal(131016),
      refusal(131016),
      acceptance,
    ]);
    assert.equal((await sender.sendMessage(textMessage('Bom dia!'), config, limitTime())).outcome, 'rejected');
    assert.equal(calls().length, 3);
  });

  test('a message that is refused for too many messages to its recipient is sent again after four seconds', async () => {
    const { sender, config, calls } = createSenderWithAnswers([refusal(131056), refusal(131056), acceptance]);
    const start = performance.now();
    assert.equal((await sender.sendMessage(textMessage('Bom dia!'), config, limitTime())).outcome, 'rejected');
    assert.ok(performance.now() - start >= 3990);
    assert.equal(calls().length, 2);
  });

  test('a message that is aborted while it waits for its next try is rejected, and nothing more is sent', async () => {
    const { sender, config, calls } = createSenderWithAnswers([refusal(131056), acceptance]);
    const result = await sender.sendMessage(textMessage('Bom dia!'), config, AbortSignal.timeout(2500));
    assert.ok(result.outcome === 'rejected' && result.error.code === 131056);
    assert.equal(calls().length, 1);
  });

  const unknowns: [string, Answer][] = [
    ['a server error with an HTML page', reply(502, '<html>Bad gateway</html>')],
    ['a server error whose error has no code', reply(500, { error: { message: 'oops' } })],
    ['an acceptance without an id', reply(200, { messages: [] })],
    ['a success whose body is not of the Graph API', reply(200, 'OK')],
    [
      'an answer that breaks off',
      (response) => response.writeHead(200, { 'content-length': 999 }).write('{"mess', () => response.destroy()),
    ],
    ['an answer of 70 kB', reply(200, `{"messages":[{"id":"x"}],"pad":"${'x'.repeat(70_000)}"}`)],
    ['a connection cut after the request', (response) => response.destroy()],
    ['the time-out of a proxy (408)', reply(408, '')],
  ];
  for (const [name, answer] of unknowns) {
    test(`${name} is an unknown outcome, and the message is not sent again`, async () => {
      const { sender, config, calls } = createSenderWithAnswers([answer, acceptance]);
      assert.deepEqual(await sender.sendMessage(textMessage('Bom dia!'), config, limitTime()), { outcome: 'unknown' });
      assert.equal(calls().length, 1);
    });
  }

  test('a message has an unknown outcome when the network does not answer in time', async () => {
    const caller = new AbortController();
    const { sender, config, calls } = createSenderWithAnswers([() => caller.abort()]);
    const result = await sender.sendMessage(textMessage('Bom dia!'), config, caller.signal);
    assert.deepEqual(result, { outcome: 'unknown' });
    assert.equal(calls().length, 1);
  });

  test('a message without a connection to the network, or aborted before it is sent, is rejected, because nothing was sent', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { sender, config } = createSenderWithAnswers([], { graphUrl: `http://127.0.0.1:${port}` });
    const other = createSenderWithAnswers([acceptance]);
    const results = [
      await sender.sendMessage(textMessage('Bom dia!'), config, limitTime()),
      await other.sender.sendMessage(textMessage('Bom dia!'), other.config, AbortSignal.abort()),
    ];
    for (const result of results) {
      assert.ok(result.outcome === 'rejected' && !result.network && result.error.code === 'PROVIDER_UNREACHABLE');
    }
    assert.equal(other.calls().length, 0);
  });

  test("a refusal without a code is PROVIDER_REJECTED, and is the network's own only if the answer has an error object", async () => {
    const words = createSenderWithAnswers([reply(400, { error: { message: 'no' } })]);
    const page = createSenderWithAnswers([reply(404, '<html>')]);
    const results = [
      await words.sender.sendMessage(textMessage('Bom dia!'), words.config, limitTime()),
      await page.sender.sendMessage(textMessage('Bom dia!'), page.config, limitTime()),
    ];
    const seen = results.map((result) => result.outcome === 'rejected' && [result.error.code, result.network]);
    assert.deepEqual(seen, [
      ['PROVIDER_REJECTED', true],
      ['PROVIDER_REJECTED', false],
    ]);
  });

  test("without a usable token or a recipient's address nothing is sent", async () => {
    const { sender, config, calls } = createSenderWithAnswers([]);
    const results = [
      await sender.sendMessage(textMessage('Bom dia!'), { ...config, business_token: null }, limitTime()),
      await sender.sendMessage(textMessage('Bom dia!'), { ...config, business_token: 'a\nb' }, limitTime()),
      await sender.sendMessage(textMessage('Bom dia!', { to: toPerson({ name: 'Joana' }) }), config, limitTime()),
    ];
    for (const result of results) {
      assert.ok(result.outcome === 'rejected' && !result.network && result.error.code === 'PROVIDER_REJECTED');
    }
    assert.equal(calls().length, 0);
  });

  test('a token that the network quotes in its error is masked', async () => {
    const proof = createHmac('sha256', SECRET).update(TOKEN).digest('hex');
    const answer = refusal(190, 401, { message: `Malformed access token ${TOKEN}`, error_data: proof });
    const { sender, config } = createSenderWithAnswers([answer], { appSecret: SECRET });
    const result = JSON.stringify(await sender.sendMessage(textMessage('Bom dia!'), config, limitTime()));
    assert.ok(result.includes('Malformed access token') && !result.includes(TOKEN) && !result.includes(proof));
  });
});

test('a message is tried again only if enough time is left for the answer', () => {
  assert.equal(retryDelayMs(2, 1, 0), 300);
  assert.equal(retryDelayMs(2, 2, 400), 1000);
  assert.equal(retryDelayMs(2, 3, 1500), null);
  assert.equal(retryDelayMs(2, 1, 6800), null);
  assert.equal(retryDelayMs(131056, 1, 100), 4000);
  assert.equal(retryDelayMs(131056, 1, 3100), null);
  assert.equal(retryDelayMs(131056, 2, 4100), null);
  assert.equal(retryDelayMs(131047, 1, 0), null);
  assert.equal(retryDelayMs('PROVIDER_UNREACHABLE', 1, 0), null);
});

describe('marking as read', { concurrency: true }, () => {
  test('marking as read calls the network with the id of the message', async () => {
    const { sender, config, calls } = createSenderWithAnswers([reply(200, { success: true })]);
    await sender.markRead('wamid.IN1', config, limitTime());
    assert.deepEqual(calls()[0]?.body, { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.IN1' });
  });

  test('showing that someone types calls the network with the id of the message', async () => {
    const { sender, config, calls } = createSenderWithAnswers([reply(200, { success: true })]);
    await sender.showTyping('wamid.IN1', config, limitTime());
    const typing_indicator = { type: 'text' };
    const expected = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.IN1', typing_indicator };
    assert.deepEqual(calls()[0]?.body, expected);
  });

  test('a read mark that the network does not confirm fails, so that the caller can repeat it', async () => {
    const { sender, config } = createSenderWithAnswers([refusal(131009), reply(503, '')]);
    await assert.rejects(sender.markRead('wamid.IN1', config, limitTime()), /131009/);
    await assert.rejects(sender.markRead('wamid.IN1', config, limitTime()), /503/);
  });
});

describe('checking credentials', { concurrency: true }, () => {
  const number: (extra?: object) => Answer = (extra) => (response, request) =>
    reply(200, { id: request.line.split('/')[2], display_phone_number: '+55 11 4002-8922', ...extra })(
      response,
      request,
    );

  function prepareCheck(about: Answer[], subscription: Answer[] = [reply(200, { success: true })]) {
    const prepared = createSenderWithAnswers(about);
    scripts.set(prepared.config.waba_id, subscription);
    return prepared;
  }

  for (const [extra, coexistence] of [
    [{}, null],
    [{ is_on_biz_app: true }, true],
    [{ is_on_biz_app: false }, false],
  ] as const) {
    test(`with good credentials the app is subscribed to the account, and coexistence is ${coexistence}`, async () => {
      const { sender, config, calls } = prepareCheck([number(extra)]);
      assert.deepEqual(await sender.check(config, limitTime(), null), { ok: true, coexistence });
      assert.equal(
        calls()[0]?.query.get('fields'),
        'id,display_phone_number,verified_name,is_on_biz_app,platform_type',
      );
      assert.equal(received.get(config.waba_id)?.[0]?.line, `POST /v26.0/${config.waba_id}/subscribed_apps`);
    });
  }

  for (const code of [0, 190, 3, 10, 200, 299, 33, 100]) {
    test(`after a refusal with code ${code} the check is not repeated: a person has to change the settings`, async () => {
      const { sender, config } = prepareCheck([refusal(code)]);
      const result = await sender.check(config, limitTime(), null);
      assert.ok(!result.ok && !result.retry && result.error.includes(`refused ${code}`));
    });
  }

  test('a refused subscription to the account fails the check of the credentials for good', async () => {
    const { sender, config } = prepareCheck([number()], [refusal(200, 403)]);
    const result = await sender.check(config, limitTime(), null);
    assert.ok(!result.ok && !result.retry);
  });

  test('the check of the credentials is repeated when the network is busy or gives no usable answer', async () => {
    for (const answer of [refusal(4, 429), refusal(2, 500), reply(502, 'x'), reply(200, 'x')]) {
      const { sender, config } = prepareCheck([answer]);
      const result = await sender.check(config, limitTime(), null);
      assert.ok(!result.ok && result.retry);
    }
    const { sender, config } = prepareCheck([number()], [reply(200, { success: false })]);
    assert.deepEqual(await sender.check(config, limitTime(), null), {
      ok: false,
      error: 'The network did not confirm the subscription to the account.',
      retry: true,
    });
  });

  test('the check fails without a token, or when the network answers for another number, and then nothing is subscribed', async () => {
    const { sender, config, calls } = prepareCheck([number({ id: '1' })]);
    const results = [
      await sender.check(config, limitTime(), null),
      await sender.check({ phone_number_id: '1', business_id: '2', waba_id: '3' }, limitTime(), null),
    ];
    assert.deepEqual(
      results.map((result) => !result.ok && !result.retry),
      [true, true],
    );
    assert.equal(calls().length, 1);
    assert.equal(received.has(config.waba_id), false);
  });

  test('the error of a failed check never shows the token', async () => {
    const { sender, config } = prepareCheck([refusal(190, 401, { message: `Malformed access token ${TOKEN}` })]);
    const result = await sender.check(config, limitTime(), null);
    assert.ok(!result.ok && result.error.includes('Malformed') && !result.error.includes(TOKEN));
  });
});
