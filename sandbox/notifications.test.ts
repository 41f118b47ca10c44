import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { call, type Delivery, PHONE, SECRET, waitUntil, useSandbox, readValues } from './test-process.ts';

const { url, graph, control, listen, deliveries, stats } = useSandbox();

type Written = { id: string; delivered: boolean; status: number | null };
type Listed = { deliveries: Delivery[] };

describe('notifications', () => {
  test('a notification is signed over the exact bytes of its body', async () => {
    await listen();
    const result = await control<Written>('inbound', { text: 'Olá / 👍', name: 'José' });
    assert.deepEqual([result.delivered, result.status], [true, 200]);
    const [delivery] = await deliveries();
    const raw = delivery!.body;
    const expected = createHmac('sha256', SECRET).update(raw).digest('hex');
    assert.equal(delivery!.headers['x-hub-signature-256'], `sha256=${expected}`);
    assert.match(raw, /Ol\\u00e1 \\\/ \\ud83d\\udc4d/);
    assert.notEqual(JSON.stringify(JSON.parse(raw)), raw);
    const [value] = readValues(delivery!);
    assert.equal(value!.metadata.phone_number_id, PHONE);
    assert.equal(value!.contacts![0]!.profile.name, 'José');
    assert.equal(value!.messages![0]!.text!.body, 'Olá / 👍');
    assert.equal(value!.messages![0]!.id, result.id);
  });

  test('a notification is retried until its answer is 200 or the tries are used up', async () => {
    await listen({ retry: { start_ms: 5, max_ms: 10, tries: 3 } });
    await control('receiver', { mode: 'status', status: 204, times: 2 }, 'PUT');
    assert.equal((await control<Written>('inbound', { text: 'a' })).delivered, false);
    await waitUntil(stats, (seen) => seen.notifications_delivered === 1);
    await control('receiver', { mode: 'status', status: 500 }, 'PUT');
    await control('inbound', { text: 'b' });
    const seen = await waitUntil(stats, ({ notifications_given_up: count }) => count === 1);
    assert.equal(seen.notifications_posted, 6);
    assert.equal(seen.notifications_retried, 4);
    assert.equal((await control<{ count: number; duplicates: number }>('deliveries/stats')).duplicates, 4);
  });

  test('duplicates repeat each notification, a batch holds several of them, and a shuffle changes their order without losing any', async () => {
    await listen({ duplicates: 1 });
    await control('inbound', { text: 'twice' });
    await waitUntil(deliveries, (list) => list.length === 2);
    await control('deliveries', undefined, 'DELETE');
    await listen({ duplicates: 0, batch: 3, batch_wait_ms: 60_000 });
    await Promise.all(['a', 'b', 'c'].map((text) => control('inbound', { text })));
    const [batch] = await deliveries();
    assert.equal(readValues(batch!)[0]!.messages!.length, 3);
    await control('deliveries', undefined, 'DELETE');
    await listen({ batch: 1, shuffle: 100, seed: 7 });
    const texts = ['1', '2', '3', '4', '5', '6', '7', '8'];
    await Promise.all(texts.map((text) => control('inbound', { text })));
    const order = (await deliveries()).flatMap(readValues).map((value) => value.messages![0]!.text!.body);
    assert.notDeepEqual(order, texts);
    assert.deepEqual(order.toSorted(), texts);
  });

  test('a reset drops stored messages and settings, but keeps the callback address', async () => {
    await listen({ seed: 7 });
    await control('inbound', { text: 'before' });
    await control('reset', {});
    assert.equal((await control<{ seed: number }>('settings')).seed, 1);
    assert.deepEqual(await deliveries(), []);
    assert.deepEqual((await control<Written>('inbound', { text: 'after' })).delivered, true);
    assert.equal((await deliveries()).length, 1);
  });

  test("a contact's message counts as delivered once the platform has accepted it, even at a later try", async () => {
    const delivered = async (): Promise<unknown[]> => {
      const query = `phone_number_id=${PHONE}&contact=5511988887777`;
      const { items } = await control<{ items: { delivered: unknown }[] }>(`conversation?${query}`);
      return items.map((item) => item.delivered);
    };
    await control('inbound', { text: 'to nowhere' });
    assert.deepEqual(await delivered(), [false]);
    await listen({ retry: { start_ms: 5, max_ms: 10, tries: 3 } });
    await control('receiver', { mode: 'status', status: 500, times: 1 }, 'PUT');
    await control('inbound', { text: 'refused once' });
    await waitUntil(delivered, (seen) => seen[1] === true);
    await control('receiver', { mode: 'hang' }, 'PUT');
    // This call is never answered, because the sandbox ends first.
    control('inbound', { text: 'on its way' }).catch(() => undefined);
    await waitUntil(delivered, (seen) => seen[2] === null);
  });

  test('the control API sends the platform any body, a JSON object as the network would write it and a string unchanged', async () => {
    await listen();
    await control('notify', { body: '{"object":  "é"}' });
    await control('notify', { body: { object: 'é' } });
    assert.deepEqual(
      (await deliveries()).map((item) => item.body),
      ['{"object":  "é"}', '{"object":"\\u00e9"}'],
    );
  });

  test('an image that a contact sends has a file that the platform can download', async () => {
    await listen();
    await control('inbound', { type: 'image', text: 'legenda' });
    const [value] = readValues((await deliveries())[0]!);
    const image = value!.messages![0]!.image!;
    assert.equal(image.caption, 'legenda');
    const described = (await graph(image.id)).body;
    assert.equal(Buffer.from(image.sha256, 'base64').toString('hex'), described.sha256);
  });
});

describe('the webhook receiver and the pages', () => {
  test('the webhook receiver lists each request with its event, and counts repetitions', async () => {
    const event = { event: 'MESSAGE_SENT', data: {} };
    await call(`${url()}/receiver/mine`, { body: event, headers: { 'x-webhook-event': 'MESSAGE_SENT' } });
    await call(`${url()}/receiver/mine`, { body: event });
    await call(`${url()}/receiver/mine`, { body: { event: 'CONTACT_CREATED' } });
    const listed = (await control<Listed>('deliveries?event=MESSAGE_SENT')).deliveries;
    assert.deepEqual(
      listed.map((item) => item.duplicate),
      [false, true],
    );
    const counted = await control('deliveries/stats');
    assert.deepEqual(counted, { count: 3, by_event: { MESSAGE_SENT: 2, CONTACT_CREATED: 1 }, duplicates: 1 });
    const later = await control<Listed>(`deliveries?after=${listed[1]!.seq}`);
    assert.equal(later.deliveries.length, 1);
  });

  test('the webhook receiver answers with the failure that its settings name', async () => {
    const post = (): Promise<Response> =>
      fetch(`${url()}/receiver/x`, { method: 'POST', redirect: 'manual', body: '1' });
    await control('receiver', { mode: 'redirect' }, 'PUT');
    assert.equal((await post()).headers.get('location'), '/receiver/redirected');
    await control('receiver', { mode: 'reset' }, 'PUT');
    await assert.rejects(post());
    for (const mode of ['drip', 'endless']) {
      await control('receiver', { mode, ms: 5 }, 'PUT');
      const reader = (await post()).body!.getReader();
      for (let size = 0; size < 3;) size += (await reader.read()).value?.length ?? 0;
      await reader.cancel();
    }
    assert.equal((await control<{ count: number; duplicates: number }>('deliveries/stats')).count, 4);
  });

  test("a page that follows the live stream gets a contact's message at once", async () => {
    const closing = new AbortController();
    const stream = await fetch(`${url()}/sandbox/live?topic=messages`, { signal: closing.signal });
    await control('inbound', { text: 'live' });
    const decoder = new TextDecoder();
    let heard = '';
    for await (const chunk of stream.body ?? []) {
      heard += decoder.decode(chunk, { stream: true });
      if (heard.includes('event: item\ndata: ')) break;
    }
    assert.match(heard, /"body":"live"/);
    closing.abort();
  });

  test('pages may load only their own files, and the control API refuses requests of other sites', async () => {
    for (const path of ['/', '/phone', '/receiver']) {
      const page = await call(`${url()}${path}`);
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-security-policy')!, /default-src 'none'; script-src 'self'/);
      assert.doesNotMatch(String(page.body), /<script(?! src=)|<style| on[a-z]+=|https?:\/\//);
    }
    const foreign = await call(`${url()}/sandbox/settings`, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(foreign.status, 403);
  });

  test('the control API refuses a POST that a browser sends for a page of another origin', async () => {
    const reset = (headers: Record<string, string>) => call(`${url()}/sandbox/reset`, { method: 'POST', headers });
    const own = new URL(url());
    const others = [
      'https://evil.example',
      'null',
      `http://localhost:${Number(own.port) + 1}`,
      `http://evil.example:${own.port}`,
    ];
    for (const origin of others) assert.equal((await reset({ origin })).status, 403, origin);
    for (const site of ['cross-site', 'same-site', 'surprise']) {
      assert.equal((await reset({ 'sec-fetch-site': site })).status, 403, site);
    }
    assert.equal((await reset({ origin: own.origin, 'sec-fetch-site': 'same-origin' })).status, 200);
    assert.equal((await reset({})).status, 200);
  });

  test('a webhook delivery reaches the receiver and no other part of the sandbox', async () => {
    const headers = { 'x-webhook-event': 'CONTACT_CREATED' };
    for (const path of ['/sandbox/reset', '/sandbox/settings', '/v26.0/100000000000001/messages', '/']) {
      assert.equal((await call(`${url()}${path}`, { method: 'POST', headers, body: {} })).status, 403, path);
    }
    assert.equal((await call(`${url()}/receiver/demo`, { method: 'POST', headers, body: {} })).status, 200);
  });

  test('the sandbox refuses its own address as the callback of a number', async () => {
    const webhook_configuration = { override_callback_uri: `${url()}/sandbox/reset`, verify_token: 'x' };
    const options = { method: 'POST', token: 'sandbox-token', body: { webhook_configuration } };
    assert.match(
      JSON.stringify((await call(`${url()}/v26.0/100000000000001`, options)).body),
      /does not notify itself/,
    );
  });
});
