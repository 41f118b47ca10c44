import { randomUUID } from 'node:crypto';
import type { Json } from '../support/platform.ts';
import {
  connectAccount,
  listNetworkCalls,
  refillBuckets,
  reportAbout,
  setNetwork,
  silenceAccounts,
} from '../support/professional-network.ts';
import { waitUntil } from '../support/wait.ts';
import type { OpenScene } from './scene.ts';

const FAULTS = {
  cut: { kind: 'reset' },
  hung: { kind: 'hang' },
  refused: { code: 422, message: 'no_connection_with_recipient' },
};

export const openProfessionalNetwork: OpenScene = async (platform) => {
  await silenceAccounts(platform);
  const account = await connectAccount(platform);
  const play = async (message: Json): Promise<Json> =>
    platform.sandbox('POST', '/sandbox/network/inbound', { ...message, account: account.id });
  const { webhooks } = await platform.sandbox('GET', '/sandbox/network/webhooks');
  const { request_url: url, headers: listed } = webhooks.find(({ source }: Json) => source === 'messaging');
  const headers = Object.fromEntries(listed.map(({ key, value }: Json) => [key, value]));
  const chats = new Map<string, string>();
  const read = (path: string): Promise<Response> =>
    fetch(`${platform.sandboxUrl}/network/api/v1/messages/${path}`, {
      headers: { 'x-api-key': 'sandbox-network-key' },
    });
  return {
    inbox: account.inbox,
    makePerson: async () => `person-${randomUUID()}`,
    describeContact: (person, name) => ({ name, professional_network_identifier: person }),
    write: async ({ from, name, id, text, picture }) => {
      const file = picture && { mimetype: 'image/jpeg', name: 'a.jpg', base64: picture.toString('base64') };
      const told = await play({ from, name, id, text, file });
      chats.set(from, told.chat);
      return told.id;
    },
    listTaken: async (person) =>
      (await listNetworkCalls(platform, new RegExp(`^POST chats/${chats.get(person)}/messages$`))).map(
        ({ body }) => body.text ?? '',
      ),
    readTaken: async (_person, { external_id: id }) => {
      const [attachment] = ((await (await read(id)).json()) as Json).attachments;
      return Buffer.from(await (await read(`${id}/attachments/${attachment.id}`)).arrayBuffer());
    },
    // An account sends a few messages at once and then waits for some seconds.
    rest: () => refillBuckets(platform, account),
    olga: { before: 'Olga Operator\n', counts: false },
    reports: ['DELIVERED', 'READ', 'FAILED'],
    report: ({ external_id: message_id }, status) => {
      const body = { event: `message_${status.toLowerCase()}`, message_id, account_id: account.id, is_sender: 1 };
      return platform.sandbox('POST', '/sandbox/network/notify', { body });
    },
    returnOwn: ({ external_id: id }) => reportAbout(platform, id, 'message_received'),
    writeElsewhere: async ({ to, text, id }) => (await play({ from: to, text, id, is_sender: true })).id,
    breakNext: (fault) => setNetwork(platform, { faults: { messages: [FAULTS[fault]] } }),
    awaitFault: () =>
      waitUntil('the gateway to be called', async () => {
        const { faults } = await platform.sandbox('GET', '/sandbox/network/settings');
        return faults.messages.length === 0;
      }),
    post: async (raw) => (await fetch(url, { method: 'POST', headers, body: raw })).status,
    broken: [
      { event: 'message_received', message_id: {}, message: 'text' },
      { event: 'message_received', message_id: 'A', sender: [], message: 7 },
      { event: 'message_read' },
      { event: 7, message_id: 'A' },
    ].map((body) => JSON.stringify({ account_id: account.id, ...body })),
    templates: null,
  };
};
