import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { call, type GraphBody, PHONE, type Reply, TEXT, TOKEN, useSandbox, WABA } from './test-process.ts';

const { url, graph, send, control, refusedWith } = useSandbox();

const template = (name: string, code: string, components?: object[]): object => ({
  messaging_product: 'whatsapp',
  to: '5511988887777',
  type: 'template',
  template: { name, language: { code }, ...(components === undefined ? {} : { components }) },
});

describe('templates', () => {
  test('the list of templates comes in pages, and following the cursor ends at a last page without `next`', async () => {
    const names: string[] = [];
    let next: string | undefined = `${url()}/v26.0/${WABA}/message_templates?limit=4&fields=name,language,status`;
    while (next !== undefined) {
      const page: Reply<GraphBody> = await call(next, { token: TOKEN });
      names.push(...page.body.data!.map((item) => `${item.name} ${item.language}`));
      next = page.body.paging?.next;
    }
    assert.equal(names.length, 9);
    assert.equal(new Set(names).size, 9);
    const paused = await graph(`${WABA}/message_templates?status=PAUSED&language=pt_BR`);
    assert.deepEqual(
      paused.body.data!.map((item) => item.name),
      ['spring_offer'],
    );
  });

  test("a template message is checked: that the template exists and is approved, and its parameters' number, names, format and buttons", async () => {
    const text = (value: string, parameter_name?: string): object => ({
      type: 'text',
      text: value,
      ...(parameter_name ? { parameter_name } : {}),
    });
    const body = (...parameters: object[]): object => ({ type: 'body', parameters });
    await refusedWith(template('nowhere', 'pt_BR'), 132001);
    await refusedWith(template('order_update', 'es'), 132001);
    await refusedWith(template('new_terms', 'en_US', [body(text('x'))]), 132001);
    await refusedWith(template('spring_offer', 'pt_BR'), 132015);
    await refusedWith(template('order_update', 'pt_BR', [body(text('Ana'))]), 132000);
    await refusedWith(template('order_update', 'pt_BR', [body(text('Ana', 'name'), text('1', 'id'))]), 132012);
    await refusedWith(template('order_update', 'pt_BR', [body(text('Ana'), text('a\nb'))]), 100);
    await refusedWith(template('appointment_reminder', 'pt_BR', [body(text('Ana'), text('hoje'))]), 132012);
    await refusedWith(template('summer_offer', 'pt_BR', [body(text('Ana'), text('25%'))]), 132012);
    const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.jpg' } }] };
    await refusedWith(template('summer_offer', 'pt_BR', [image, body(text('Ana'), text('25%'))]), 131008);
    const buttons = [
      { type: 'button', sub_type: 'url', index: '1', parameters: [text('verao')] },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: 2,
        parameters: [{ type: 'coupon_code', coupon_code: 'VERAO25' }],
      },
    ];
    const sent = await send(template('summer_offer', 'pt_BR', [image, body(text('Ana'), text('25%')), ...buttons]));
    assert.equal(sent.body.messages![0]!.message_status, 'accepted', JSON.stringify(sent.body));
    await send(template('appointment_reminder', 'pt_BR', [body(text('hoje', 'date'), text('Ana', 'first_name'))]));
    const stored = (await control<{ messages: { preview: { body: string } }[] }>('messages')).messages;
    assert.equal(stored[1]!.preview.body, 'Olá, Ana. A sua consulta é em hoje. Podemos confirmar?');
  });

  test("a template can be added by the network's own call, and with any status by the control API", async () => {
    const made = await graph(`${WABA}/message_templates`, {
      body: { name: 'mine', language: 'pt_BR', category: 'MARKETING', components: [{ type: 'BODY', text: 'Oi' }] },
    });
    assert.equal(made.body.status, 'APPROVED');
    assert.equal((await send(template('mine', 'pt_BR'))).status, 200);
    await control('templates', { name: 'mine', language: 'pt_BR', status: 'DISABLED', components: [] });
    await refusedWith(template('mine', 'pt_BR'), 132016);
  });
});

describe('media, numbers, subscriptions', () => {
  test('a file can be uploaded, and downloaded in two calls that both need the token, until it is deleted', async () => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', 'text/plain');
    form.set('file', new Blob(['olá'], { type: 'text/plain' }), 'a.txt');
    const upload = await fetch(`${url()}/${PHONE}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: form,
    });
    const { id } = (await upload.json()) as { id: string };
    assert.ok(BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER));
    const described = (await graph(id)).body;
    assert.equal(described.file_size, 4);
    assert.equal((await call(described.url!)).status, 401);
    assert.equal((await call(described.url!, { token: TOKEN })).body, 'olá');
    assert.equal((await send({ ...TEXT, type: 'document', document: { id } })).status, 200);
    assert.deepEqual((await graph(id, { method: 'DELETE' })).body, { success: true });
    assert.equal((await call(described.url!, { token: TOKEN })).status, 404);
    await refusedWith({ ...TEXT, type: 'document', document: { id } }, 100);
  });

  test('a request about a phone number is answered with the requested fields, and refused when it names an unknown field', async () => {
    const { body } = await graph(`${PHONE}?fields=is_on_biz_app,display_phone_number`);
    assert.deepEqual(body, { is_on_biz_app: false, display_phone_number: '+55 11 90000-0000', id: PHONE });
    assert.equal((await graph(`${PHONE}?fields=shoe_size`)).body.error!.code, 100);
  });

  test('a callback address of a single number is accepted only after it has answered the challenge', async () => {
    const silent = createServer((_request, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const subscribe = (address: string) =>
      graph(`${WABA}/subscribed_apps`, { body: { override_callback_uri: address, verify_token: 't' } });
    assert.equal((await subscribe(`http://127.0.0.1:${port}/own`)).body.error!.code, 2200);
    silent.close();
    // An address of the sandbox itself is refused, because notifications to it would reach the sandbox's control API.
    assert.equal((await subscribe(`${url()}/receiver/own`)).body.error!.code, 100);
    assert.equal((await graph(`${WABA}/subscribed_apps`, { method: 'POST' })).body.success, true);
    assert.equal((await graph(`${WABA}/subscribed_apps`)).body.data!.length, 1);
    await graph(`${WABA}/subscribed_apps`, { method: 'DELETE' });
    assert.deepEqual((await graph(`${WABA}/subscribed_apps`)).body, { data: [] });
  });

  test('a registered account can be used with its own token only', async () => {
    await control('accounts', { phone_number_id: '15', waba_id: '25', token: 'own' });
    assert.equal((await graph('15/messages', { body: TEXT, token: 'own' })).status, 200);
    assert.equal((await graph('15/messages', { body: TEXT })).status, 400);
    assert.equal((await graph('25/message_templates', { token: 'own' })).status, 200);
    assert.equal((await graph('25/message_templates')).status, 400);
  });
});
