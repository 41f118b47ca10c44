import { randomUUID } from 'node:crypto';
import {
  connectInstance,
  listCalls,
  reportEvent,
  setGateway,
  silenceGateway,
  type Instance,
} from '../support/gateway.ts';
import { makePhoneNumber } from '../support/network.ts';
import type { Json } from '../support/platform.ts';
import { waitUntil } from '../support/wait.ts';
import type { OpenScene } from './scene.ts';

const FAULTS = {
  cut: { kind: 'reset' },
  hung: { kind: 'hang' },
  refused: { code: 400, http_status: 400, message: 'The number is not on WhatsApp' },
};
const WORDS = { DELIVERED: 'DELIVERY_ACK', READ: 'READ', FAILED: 'ERROR' };
const SENDS = ['sendText', 'sendMedia', 'sendWhatsAppAudio', 'sendSticker'];

export const openGateway: OpenScene = async (platform) => {
  await silenceGateway(platform);
  const instance = await connectInstance(platform);
  const business = await connectInstance(platform, { integration: 'business' });
  const toJid = (person: string): string => `${person}@s.whatsapp.net`;
  const play = async (message: Json): Promise<string> =>
    (await platform.sandbox('POST', '/sandbox/gateway/inbound', { ...message, instance: instance.name })).id;
  const listSends = async (person: string): Promise<Json[]> => {
    const { calls } = await platform.sandbox('GET', '/sandbox/gateway/calls');
    const isSend = ({ path, instance: at, body }: Json): boolean =>
      at === instance.name && body.number === person && SENDS.includes(path.split('/')[1]);
    return calls.filter(isSend).map(({ body }: Json) => body);
  };
  const findWebhook = async ({ name }: Instance): Promise<Json> => {
    const { instances } = await platform.sandbox('GET', '/sandbox/gateway/instances');
    return instances.find((each: Json) => each.name === name).webhook;
  };
  const webhook = await findWebhook(instance);
  return {
    inbox: instance.inbox,
    makePerson: async () => makePhoneNumber(),
    describeContact: (person, name) => ({ name, phone_number: `+${person}` }),
    write: ({ from, name, id, text, picture }) => {
      const message = { imageMessage: { mimetype: 'image/jpeg', fileLength: String(picture?.length) } };
      const file = { message, message_type: 'imageMessage', base64: picture?.toString('base64') };
      return play({
        key: { remoteJid: toJid(from), ...(id && { id }) },
        from,
        name,
        id,
        ...(picture ? file : { text }),
      });
    },
    listTaken: async (person) => (await listSends(person)).map(({ text, caption }) => text ?? caption ?? ''),
    readTaken: async (person) => {
      const { media, audio, sticker } = (await listSends(person)).at(-1);
      return Buffer.from(media ?? audio ?? sticker, 'base64');
    },
    olga: { before: '*Olga Operator*\n', counts: true },
    reports: ['DELIVERED', 'READ', 'FAILED'],
    report: ({ external_id: keyId, person }, status) =>
      reportEvent(platform, instance, 'messages.update', {
        keyId,
        remoteJid: toJid(person),
        fromMe: true,
        status: WORDS[status],
      }),
    returnOwn: ({ external_id: id, person }) =>
      reportEvent(platform, instance, 'send.message', {
        key: { id, remoteJid: toJid(person), fromMe: true },
        message: { conversation: 'as the gateway has sent it' },
        messageType: 'conversation',
      }),
    writeElsewhere: ({ to, text, id = `3EB0${randomUUID()}` }) => play({ from: to, text, id, from_me: true }),
    breakNext: (fault) => setGateway(platform, { faults: { sendText: [FAULTS[fault]] } }),
    awaitFault: () =>
      waitUntil('the gateway to be called', async () => {
        const { faults } = await platform.sandbox('GET', '/sandbox/gateway/settings');
        return faults.sendText.length === 0;
      }),
    post: async (raw) => (await fetch(webhook.url, { method: 'POST', headers: webhook.headers, body: raw })).status,
    broken: [
      { event: 'messages.upsert', data: { key: {} } },
      { event: 'messages.upsert', data: { key: { id: 'A', remoteJid: 7 }, message: [] } },
      { event: 'messages.update', data: [{ keyId: null }, 'text'] },
      { event: 'messages.edited', data: { key: { id: 'A' }, editedMessage: { pollMessage: 1 } } },
      { event: ['messages.upsert'], data: 1 },
    ].map((body) => JSON.stringify({ instance: instance.name, ...body })),
    templates: {
      inbox: business.inbox,
      listTaken: async () => (await listCalls(platform, business, 'message/sendTemplate')).map(({ name }) => name),
    },
  };
};
