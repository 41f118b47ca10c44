import { createHmac } from 'node:crypto';
import type { Json } from '../support/platform.ts';
import {
  buildMessageNotification,
  buildNotification,
  connectPhone,
  fillMessage,
  makeMessageId,
  makePhoneNumber,
  openNetwork,
  secondsAgo,
  waitUntilCopied,
} from '../support/network.ts';
import { silenceNetwork } from '../support/traffic.ts';
import { waitUntil } from '../support/wait.ts';
import type { OpenScene } from './scene.ts';

const FAULTS = { cut: { kind: 'reset' }, hung: { kind: 'hang' }, refused: { code: 131_026 } };

export const openCloudApi: OpenScene = async (platform) => {
  await silenceNetwork(platform);
  const network = await openNetwork(platform);
  const phone = await connectPhone(platform);
  await waitUntilCopied(platform, phone.inbox);
  // The number is also used in the business's own app.
  const shared = { phone, field: 'account_update', value: { event: 'ACCOUNT_RECONNECTED', metadata: undefined } };
  await network.post(200, buildNotification(shared));
  const listMessages = async (): Promise<Json[]> =>
    (await platform.sandbox('GET', `/sandbox/messages?phone=${phone.id}`)).messages;
  const echo = (message: Json) =>
    network.post(
      200,
      buildNotification({
        phone,
        field: 'smb_message_echoes',
        value: { message_echoes: [fillMessage({ from: '551133334444', ...message })] },
      }),
    );
  const showText = ({ body }: Json): string => body[body.type].body ?? body[body.type].caption ?? '';
  return {
    inbox: phone.inbox,
    makePerson: async () => makePhoneNumber(),
    describeContact: (person, name) => ({ name, phone_number: `+${person}` }),
    write: async ({ from, name, id = makeMessageId(), text, picture }) => {
      const media = picture && { base64: picture.toString('base64'), mime_type: 'image/jpeg' };
      const type = media ? { type: 'image', media } : { text };
      const body = { phone_number_id: phone.id, from, name, ...type, raw: { id } };
      await platform.sandbox('POST', '/sandbox/inbound', body);
      return id;
    },
    listTaken: async (person) => (await listMessages()).filter(({ body }) => body.to === person).map(showText),
    readTaken: async (person) => {
      const { body } = (await listMessages()).findLast((message) => message.body.to === person);
      const file = await fetch(`${platform.sandboxUrl}/sandbox/media/${body[body.type].id}`);
      return Buffer.from(await file.arrayBuffer());
    },
    olga: { before: '*Olga Operator*\n', counts: true },
    reports: ['DELIVERED', 'READ', 'FAILED'],
    report: ({ external_id: id, person }, status) => {
      const errors = status === 'FAILED' ? [{ code: 131_026, title: 'Message undeliverable' }] : [];
      const news = { id, status: status.toLowerCase(), timestamp: secondsAgo(0), recipient_id: person, errors };
      return network.post(200, buildNotification({ phone, value: { statuses: [news] } }));
    },
    returnOwn: ({ external_id: id, person: to }) => echo({ id, to }),
    writeElsewhere: async ({ to, text, id = makeMessageId() }) => {
      await echo({ id, to, type: 'text', text: { body: text } });
      return id;
    },
    breakNext: (fault, to) =>
      platform.sandbox('PUT', '/sandbox/settings', { faults: { send: [{ ...FAULTS[fault], to }] } }),
    awaitFault: () =>
      waitUntil('the network to be called', async () => {
        const { faults } = await platform.sandbox('GET', '/sandbox/settings');
        return faults.send.length === 0;
      }),
    post: async (raw) => {
      const signature = createHmac('sha256', network.appSecret).update(raw).digest('hex');
      const headers = { 'x-hub-signature-256': `sha256=${signature}` };
      return (await fetch(`${platform.url}/hooks/wap`, { method: 'POST', body: raw, headers })).status;
    },
    broken: [
      buildMessageNotification(phone, { from: 7, id: {} }),
      buildNotification({ phone, value: { messages: [null, 'text'], statuses: [{ id: [] }] } }),
      {
        object: 'whatsapp_business_account',
        entry: [{ changes: [{ field: 'messages', value: { metadata: phone } }] }],
      },
    ].map((body) => JSON.stringify(body)),
    templates: {
      inbox: phone.inbox,
      listTaken: async () => (await listMessages()).flatMap(({ body }) => body.template?.name ?? []),
    },
  };
};
