/** Examples for the contract tests of channels. */
import { TEXT_AND_FILES, type Samples } from '../content.ts';
import { partnerApiSettings } from './settings.ts';

const PERSON = '5585991230001@s.whatsapp.net';
const SENT_AT = 1_781_524_800;

const announce = (event: string, data: unknown) => ({
  event,
  instance: partnerApiSettings.sample.instance_name,
  data,
  date_time: '2026-06-15T12:00:00.000Z',
  sender: '5585991239999@s.whatsapp.net',
  apikey: 'the-key-of-the-instance',
});

const write = (id: string, messageType: string, message: object, key: object = {}) =>
  announce('messages.upsert', {
    key: { remoteJid: PERSON, fromMe: false, id, ...key },
    pushName: 'Ana',
    message,
    messageType,
    messageTimestamp: SENT_AT,
    source: 'android',
  });

export const partnerSamples: Samples = {
  number: '+5585991230001',
  contents: [
    ...TEXT_AND_FILES,
    { contentType: 'STICKER' },
    {
      contentType: 'LOCATION',
      location: { latitude: -3.7327, longitude: -38.527, name: 'Loja', address: null, url: null },
    },
    {
      contentType: 'CONTACTS',
      contacts: [{ name: { formatted_name: 'Ana Sá' }, phones: [{ phone: '+55 85 99123-0001' }] }],
    },
    { contentType: 'TEMPLATE', content: 'Olá!', template: { name: 'ola', language: 'pt_BR', components: [] } },
    { contentType: 'REACTION', reaction: { externalId: '3EB0C1', emoji: '👍' } },
  ],
  callbacks: [
    write('3EB0C1', 'conversation', { conversation: 'Oi' }),
    write('3EB0C2', 'imageMessage', { imageMessage: { mimetype: 'image/jpeg', caption: 'A cor', fileLength: '5120' } }),
    write('3EB0C3', 'conversation', { conversation: 'Escrito no telefone' }, { fromMe: true }),
    write(
      '3EB0C4',
      'conversation',
      { conversation: 'Oi' },
      { remoteJid: '247163829104756@lid', remoteJidAlt: PERSON, addressingMode: 'lid' },
    ),
    announce('messages.update', { keyId: '3EB0A1', remoteJid: PERSON, fromMe: true, status: 'DELIVERY_ACK' }),
    announce('messages.edited', {
      key: { id: '3EB0C1', remoteJid: PERSON, fromMe: false },
      type: 14,
      editedMessage: { conversation: 'Olá' },
      timestampMs: '1781524860000',
    }),
    announce('messages.delete', { id: '3EB0C1', remoteJid: PERSON, fromMe: false }),
    announce('connection.update', { instance: 'main', state: 'open', statusReason: 200 }),
  ],
};
