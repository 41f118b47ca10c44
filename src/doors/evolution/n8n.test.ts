/** The requests of the n8n community node n8n-nodes-evolution-api 1.0.4, recorded from its operations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEvolution } from '../../../test/support/evolution.ts';
import { makeJpg, makeMp4, makePdf, makeMp3 } from '../../../test/support/media-samples.ts';
import type { Json } from '../../../test/support/platform.ts';
import { writeAsContact } from '../../../test/support/traffic.ts';

const { platform, name, ask } = await openEvolution();
const { contact, message } = await writeAsContact(platform, { text: 'Hello' });
const number: string = contact.phone_number.slice(1);
const jid = `${number}@s.whatsapp.net`;
const id: string = message.external_id;
const key = { remoteJid: jid, fromMe: false, id };
const more = { delay: 1, quoted: { key: { id } } };
const [picture, video, sound, page] = [makeJpg(), await makeMp4(), makeMp3(), makePdf()].map((file) =>
  file.toString('base64'),
);

/** The status, the request, and a look at the answer that the next node of a flow takes. */
const SERVED: [number, string, string, object | undefined, (answer: Json) => unknown][] = [
  [200, 'GET', `instance/fetchInstances?instanceName=${name}`, undefined, ([found]) => found.name === name],
  [200, 'GET', `instance/connect/${name}`, undefined, ({ instance }) => instance.state === 'open'],
  [200, 'POST', `instance/restart/${name}`, undefined, ({ instance }) => instance.status === 'open'],
  [201, 'POST', `instance/setPresence/${name}`, { presence: 'available' }, ({ presence }) => presence === 'available'],
  [
    201,
    'POST',
    `settings/set/${name}`,
    {
      rejectCall: false,
      msgCall: '',
      groupsIgnore: true,
      alwaysOnline: false,
      readMessages: true,
      syncFullHistory: false,
      readStatus: false,
    },
    ({ settings }) => settings.settings.groupsIgnore,
  ],
  [200, 'GET', `settings/find/${name}`, undefined, ({ groupsIgnore, msgCall }) => groupsIgnore && msgCall === ''],
  [
    201,
    'POST',
    `message/sendText/${name}`,
    { number, text: 'Hello', linkPreview: true, ...more },
    (sent) => sent.key.remoteJid === jid,
  ],
  [
    201,
    'POST',
    `message/sendMedia/${name}`,
    {
      number,
      mediatype: 'image',
      media: picture,
      mimetype: 'image/jpeg',
      caption: 'A box',
      fileName: 'image.jpg',
      ...more,
    },
    (sent) => sent.message.imageMessage.caption === 'A box',
  ],
  [
    201,
    'POST',
    `message/sendMedia/${name}`,
    { number, mediatype: 'video', media: video, mimetype: 'video/mp4', caption: '', fileName: 'video.mp4', ...more },
    (sent) => sent.messageType === 'videoMessage',
  ],
  [
    201,
    'POST',
    `message/sendMedia/${name}`,
    {
      number,
      media: page,
      mediatype: 'document',
      mimetype: 'application/pdf',
      caption: '',
      fileName: 'document.pdf',
      ...more,
    },
    (sent) => sent.message.documentMessage.fileName === 'document.pdf',
  ],
  [
    201,
    'POST',
    `message/sendWhatsAppAudio/${name}`,
    { number, audio: sound, mimetype: 'audio/mp3', fileName: 'audio.mp3', ...more },
    (sent) => sent.messageType === 'audioMessage',
  ],
  [
    201,
    'POST',
    `message/sendButtons/${name}`,
    {
      number,
      title: 'Order',
      description: 'Is it right?',
      buttons: [{ type: 'reply', displayText: 'Yes', id: 'y' }],
      footer: 'Shop',
      ...more,
    },
    (sent) => sent.status === 'PENDING',
  ],
  [
    201,
    'POST',
    `message/sendList/${name}`,
    {
      number,
      title: 'Order',
      description: 'What?',
      buttonText: 'Open',
      footerText: '',
      sections: [{ title: 'Sweets', rows: [{ title: 'Cake', description: 'With cream', rowId: 'c' }] }],
      ...more,
    },
    (sent) => sent.status === 'PENDING',
  ],
  [
    201,
    'POST',
    `message/sendContact/${name}`,
    {
      number,
      contact: [
        {
          fullName: 'Ana',
          wuid: '5511911112222',
          phoneNumber: '+55 11 91111-2222',
          organization: 'Shop',
          email: 'a@a.example',
        },
      ],
    },
    (sent) => sent.messageType === 'contactMessage',
  ],
  [
    201,
    'POST',
    `message/sendReaction/${name}`,
    { key, reaction: '👍' },
    (sent) => sent.message.reactionMessage.key.id === id,
  ],
  [
    200,
    'POST',
    `chat/whatsappNumbers/${name}`,
    { numbers: [number, '12'] },
    (found) => found[0].exists && !found[1].exists,
  ],
  [200, 'POST', `chat/fetchProfilePictureUrl/${name}`, { number }, ({ wuid }) => wuid === jid],
  [
    200,
    'POST',
    `chat/findChats/${name}`,
    { where: { remoteJid: jid, id: '' }, page: 1, offset: 10 },
    ([chat]) => chat.remoteJid === jid,
  ],
  [200, 'POST', `chat/findContacts/${name}`, {}, (found) => found.some((each: Json) => each.remoteJid === jid)],
  [200, 'POST', `chat/findContacts/${name}`, { where: { id: jid } }, ([found]) => found.remoteJid === jid],
  [
    200,
    'POST',
    `chat/findMessages/${name}`,
    { where: { key: { remoteJid: jid } }, page: 1, offset: 10 },
    ({ messages }) => messages.records.at(-1).key.id === id,
  ],
  [
    200,
    'POST',
    `chat/findStatusMessage/${name}`,
    { where: { instanceId: name, remoteJid: jid, keyId: id }, page: 1, offset: 10 },
    (found) => Array.isArray(found),
  ],
  [
    201,
    'POST',
    `chat/markMessageAsRead/${name}`,
    { readMessages: [{ remoteJid: number, fromMe: false, id }] },
    ({ read }) => read === 'success',
  ],
  [
    201,
    'POST',
    `chat/sendPresence/${name}`,
    { number, presence: 'composing', delay: 1 },
    ({ presence }) => presence === 'composing',
  ],
  [201, 'POST', `chat/updateBlockStatus/${name}`, { number, status: 'unblock' }, ({ block }) => block === 'success'],
];

/** What Evolution's channel of the Cloud API refuses as well. */
const REFUSED: [string, string, object | undefined][] = [
  ['POST', `message/sendPoll/${name}`, { number, name: 'x', selectableCount: 1, values: ['a', 'b'], ...more }],
  ['POST', `message/sendStatus/${name}`, { type: 'text', content: 'x', allContacts: true }],
  [
    'POST',
    `message/sendButtons/${name}`,
    { number, buttons: [{ type: 'pix', currency: 'BRL', name: 'n', keyType: 'email', key: 'k' }] },
  ],
  [
    'DELETE',
    `chat/deleteMessageForEveryone/${name}`,
    { id, fromMe: false, remoteJid: jid, participant: '@s.whatsapp.net' },
  ],
  ['POST', `chat/archiveChat/${name}`, { lastMessage: { key }, chat: jid, archive: true }],
  ['POST', `chat/markChatUnread/${name}`, { lastMessage: { key }, chat: jid }],
  ['POST', `chat/updateMessage/${name}`, { number, key, text: 'x' }],
  ['POST', `proxy/set/${name}`, { enabled: true, host: 'x', port: '1' }],
  ['POST', `rabbitmq/set/${name}`, { rabbitmq: { enabled: true, events: [] } }],
  ['POST', `typebot/create/${name}`, { enabled: true, url: 'https://bot.example' }],
  ['POST', `chatwoot/set/${name}`, { enabled: true }],
  ['GET', `group/fetchAllGroups/${name}?getParticipants=false`, undefined],
  ['POST', `group/create/${name}`, { subject: 'x', participants: [number] }],
  ['POST', `chat/fetchProfile/${name}`, { number }],
  ['DELETE', `instance/logout/${name}`, undefined],
];

test('every operation of the node that is served gets what it reads', async () => {
  for (const [status, method, path, body, look] of SERVED) {
    const answer = await ask(status, method, path, { body });
    assert.ok(look(answer), `${path}: ${JSON.stringify(answer)}`);
  }
});

test('the other operations of the node are refused', async () => {
  for (const [method, path, body] of REFUSED) {
    const { response } = await ask(400, method, path, { body });
    assert.deepEqual(response.message, ['Method not available on WhatsApp Business API'], path);
  }
  const made = await ask(400, 'POST', 'instance/create', {
    body: { instanceName: 'x', integration: 'WHATSAPP-BAILEYS', number },
  });
  assert.deepEqual(made.response.message, ['Invalid integration']);
});
