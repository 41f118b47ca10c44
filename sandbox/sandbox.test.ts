import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  call,
  waitForExit,
  type GraphBody,
  PHONE,
  SECRET,
  startSandbox,
  TEXT,
  TOKEN,
  waitUntil,
  useSandbox,
  WABA,
} from './test-process.ts';

const { url, graph, send, control, set, listen, statuses, stats, refusedWith } = useSandbox();

type Listed = { messages: { states: { status: string }[] }[] };

describe('sending messages', () => {
  test("an accepted message gets an id of the network, and then the statuses sent, delivered and read with the caller's own id", async () => {
    await listen({ status_delays_ms: { sent: 1, delivered: 20, read: 40 } });
    const reply = await send({ ...TEXT, to: '+55 11 98888-7777', biz_opaque_callback_data: 'mine' });
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body.contacts, [{ input: '+55 11 98888-7777', wa_id: '5511988887777' }]);
    const id = reply.body.messages![0]!.id!;
    assert.match(id, /^wamid\./);
    const seen = await waitUntil(statuses, (list) => list.length === 3);
    assert.deepEqual(seen.map((item) => item.status).toSorted(), ['delivered', 'read', 'sent']);
    assert.ok(seen.every((item) => item.id === id && item.biz_opaque_callback_data === 'mine'));
    const { messages } = await control<Listed>(`messages?phone=${PHONE}`);
    assert.deepEqual(
      messages[0]!.states.map((state) => state.status),
      ['accepted', 'sent', 'delivered', 'read'],
    );
  });

  test('a status whose delay is null is never sent, and a reaction gets only the status sent', async () => {
    await listen({ status_delays_ms: { sent: 1, delivered: null, read: 2 } });
    await send(TEXT);
    await waitUntil(statuses, (list) => list.length === 2);
    await send({ ...TEXT, type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } });
    const seen = await waitUntil(statuses, (list) => list.length === 3);
    assert.deepEqual(seen.map((item) => item.status).toSorted(), ['read', 'sent', 'sent']);
  });

  test('a valid message of every type is accepted', async () => {
    const link = 'https://example.com/a';
    const reply = { type: 'reply', reply: { id: 'yes', title: 'Yes' } };
    const parts: Record<string, unknown> = {
      image: { link, caption: 'c' },
      video: { link },
      audio: { link },
      document: { link, filename: 'a.pdf' },
      sticker: { link },
      location: { latitude: -23.5, longitude: -46.6, name: 'n' },
      contacts: [{ name: { formatted_name: 'Ana' } }],
      interactive: { type: 'button', body: { text: 'ok?' }, action: { buttons: [reply] } },
    };
    for (const [type, part] of Object.entries(parts)) {
      const answer = await send({ messaging_product: 'whatsapp', to: '5511988887777', type, [type]: part });
      assert.equal(answer.status, 200, `${type}: ${JSON.stringify(answer.body)}`);
    }
  });

  test('a business-scoped user id can be a recipient, and a setting leaves the Brazilian ninth digit out of wa_id', async () => {
    const { to: _, ...nobody } = TEXT;
    const byUserId = await send({ ...nobody, recipient: 'BR.13491208655302741918' });
    assert.deepEqual(byUserId.body.contacts, [
      { input: 'BR.13491208655302741918', user_id: 'BR.13491208655302741918' },
    ]);
    await set({ wa_id_ninth_digit: 'drop' });
    assert.deepEqual((await send(TEXT)).body.contacts, [{ input: '5511988887777', wa_id: '551188887777' }]);
  });

  test('a message that the network would refuse is refused with its code and shape', async () => {
    await refusedWith({}, 100);
    await refusedWith({ ...TEXT, to: undefined }, 100);
    await refusedWith({ ...TEXT, to: 'maria' }, 131009);
    await refusedWith({ ...TEXT, to: '5511900000000' }, 131021);
    await refusedWith({ ...TEXT, text: { body: 'x'.repeat(4_097) } }, 100);
    await refusedWith({ ...TEXT, type: 'gif' }, 100);
    await refusedWith({ ...TEXT, text: undefined }, 131008);
    await refusedWith({ ...TEXT, type: 'image', image: { link: 'https://a/b', id: '1' } }, 100);
    await refusedWith({ ...TEXT, type: 'audio', audio: { link: 'https://a/b', caption: 'c' } }, 131009);
    await set({ allowed_recipients: ['+55 11 97777-0000'] });
    const error = await refusedWith(TEXT, 131030);
    assert.equal(error.type, 'OAuthException');
    assert.equal(error.error_data!.messaging_product, 'whatsapp');
    assert.ok(error.fbtrace_id);
    assert.equal((await stats()).sends, 0);
  });

  test('a wrong token answers error 190, a missing token 104, an unknown number 100 with subcode 33, and a wrong proof is refused', async () => {
    assert.equal((await graph(`${PHONE}/messages`, { body: TEXT, token: 'other' })).body.error!.code, 190);
    const anonymous = await call<GraphBody>(`${url()}/${PHONE}/messages`, { body: TEXT });
    assert.equal(anonymous.status, 401);
    assert.equal(anonymous.body.error!.code, 104);
    const unknown = await graph('999/messages', { body: TEXT });
    assert.deepEqual([unknown.body.error!.code, unknown.body.error!.error_subcode], [100, 33]);
    const proof = createHmac('sha256', SECRET).update(TOKEN).digest('hex');
    assert.equal((await graph(`${PHONE}/messages?appsecret_proof=${proof}`, { body: TEXT })).status, 200);
    assert.equal((await graph(`${PHONE}/messages?appsecret_proof=${'0'.repeat(64)}`, { body: TEXT })).status, 400);
  });

  test('while the window is enforced, free text to a person who did not write is accepted and then fails with 131047', async () => {
    await listen({ enforce_window: true, status_delays_ms: { sent: 1, delivered: null, read: null } });
    assert.equal((await send(TEXT)).status, 200);
    const [failed] = await waitUntil(statuses, (list) => list.length === 1);
    assert.equal(failed!.status, 'failed');
    assert.equal(failed!.errors![0]!.code, 131047);
    await control('inbound', { from: '551188887777', text: 'oi' });
    await send(TEXT);
    const seen = await waitUntil(statuses, (list) => list.length === 2);
    assert.equal(seen[1]!.status, 'sent');
  });

  test('a failure in the settings makes as many messages fail as it says', async () => {
    await listen({
      fail_status: { code: 131026, times: 1 },
      status_delays_ms: { sent: 1, delivered: null, read: null },
    });
    await send(TEXT);
    await waitUntil(statuses, (list) => list.length === 1);
    await send(TEXT);
    const seen = await waitUntil(statuses, (list) => list.length === 2);
    assert.deepEqual(
      seen.map((item) => item.status),
      ['failed', 'sent'],
    );
    assert.equal(seen[0]!.errors![0]!.title, 'Message undeliverable');
  });

  test('a media link on this machine is fetched after the answer, and a link that cannot be fetched gives a failed status with code 131053', async () => {
    await listen({ status_delays_ms: { sent: 1, delivered: null, read: null } });
    await control('receiver', { mode: 'status', status: 404, times: 1 }, 'PUT');
    await send({ ...TEXT, type: 'image', image: { link: `${url()}/receiver/a.png` } });
    const [failed] = await waitUntil(statuses, (list) => list.length === 1);
    assert.equal(failed!.errors![0]!.code, 131053);
  });
});

describe('faults that the control API sets', () => {
  test('a fault with an error code is answered as often as its settings say, and no message is accepted meanwhile', async () => {
    await set({ faults: { send: [{ code: 130429, times: 2 }] } });
    assert.equal((await send(TEXT)).status, 429);
    await refusedWith(TEXT, 130429);
    assert.equal((await send(TEXT)).status, 200);
    assert.equal((await stats()).sends, 1);
  });

  test('a reset fault cuts the connection before or after the message is accepted, and a hang fault never answers', async () => {
    await set({ faults: { send: [{ kind: 'reset' }, { kind: 'reset_after_accept' }, { kind: 'hang_after_accept' }] } });
    await assert.rejects(send(TEXT));
    assert.equal((await stats()).sends, 0);
    await assert.rejects(send(TEXT));
    assert.equal((await stats()).sends, 1);
    const hanging = new AbortController();
    const pending = fetch(`${url()}/${PHONE}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(TEXT),
      signal: hanging.signal,
    });
    await waitUntil(stats, (seen) => seen.sends === 2);
    hanging.abort();
    await assert.rejects(pending, { name: 'AbortError' });
  });

  test('a fault for one recipient affects no other recipient, and other endpoints have faults of their own', async () => {
    await set({ faults: { send: [{ kind: 'http_500', to: '5511977776666' }], templates: [{ code: 131000 }] } });
    assert.equal((await send(TEXT)).status, 200);
    assert.equal((await send({ ...TEXT, to: '5511977776666' })).status, 500);
    assert.equal((await graph(`${WABA}/message_templates`)).status, 500);
    assert.equal((await graph(`${WABA}/message_templates`)).status, 200);
  });

  test('an unknown setting or a callback outside this machine is refused, and the error names it', async () => {
    const unknown = await call<{ error: string }>(`${url()}/sandbox/settings`, { method: 'PUT', body: { nope: 1 } });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.error!, /nope/);
    const outside = { callback_url: 'http://192.0.2.1/hook' };
    assert.equal((await call(`${url()}/sandbox/settings`, { method: 'PUT', body: outside })).status, 400);
  });
});

test('the demo shop shows the web chat of a platform on this machine, and allows its script and frame only', async () => {
  const put = (chat: unknown) => call(`${url()}/sandbox/settings`, { method: 'PUT', body: { chat } });
  const open = async () => {
    const reply = await fetch(`${url()}/demo`);
    return { page: await reply.text(), policy: reply.headers.get('content-security-policy') ?? '' };
  };
  const without = await open();
  assert.doesNotMatch(without.page, /data-inbox/);
  assert.doesNotMatch(without.policy, /frame-src/);
  const inbox = '0123456789abcdef01234567';
  assert.equal((await put({ platform: 'http://127.0.0.1:4999', inbox })).status, 200);
  await call(`${url()}/sandbox/reset`, { method: 'POST' });
  const { page, policy } = await open();
  assert.match(
    page,
    /<script async src="http:\/\/127\.0\.0\.1:4999\/widget\.js" data-inbox="0123456789abcdef01234567" data-color="#8a4b16"><\/script>/,
  );
  assert.match(policy, /script-src 'self' http:\/\/127\.0\.0\.1:4999;.*frame-src http:\/\/127\.0\.0\.1:4999$/);
  for (const wrong of [
    { platform: 'https://shop.example', inbox },
    { platform: 'http://127.0.0.1:1', inbox: '"><script>' },
    {},
  ])
    assert.equal((await put(wrong)).status, 400);
  assert.equal((await put(null)).status, 200);
});

describe('the process of the sandbox', () => {
  test('the sandbox ends with code 0 when its standard input or its IPC channel closes, and on SIGTERM', async () => {
    const first = await startSandbox();
    assert.equal(await waitForExit(first.child, () => first.child.stdin!.end()), 0);
    const forked = await startSandbox({}, 'ipc');
    assert.equal(await waitForExit(forked.child, () => forked.child.disconnect()), 0);
    const second = await startSandbox();
    assert.equal(await waitForExit(second.child, () => second.child.kill('SIGTERM')), 0);
  });

  test('the sandbox refuses to listen on an address that others can reach', async () => {
    await assert.rejects(startSandbox({ SANDBOX_HOST: '0.0.0.0' }), /ended with 1/);
  });

  test('a sandbox that is started with SANDBOX_OPEN accepts any id and token', async () => {
    const open = await startSandbox({ SANDBOX_OPEN: '1' });
    const reply = await call(`${open.url}/v26.0/123456/messages`, { token: 'any', body: TEXT });
    assert.equal(reply.status, 200);
    assert.equal((await call(`${open.url}/987/message_templates`, { token: 'any' })).status, 200);
    await open.stop();
  });
});
