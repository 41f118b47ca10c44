/** Writes what a person sends from the phone page in the form of WhatsApp Web. */
import { toObject, toText, type Json } from '../exchange.ts';
import { readPhoneFile } from '../phone/file.ts';
import type { Sandbox } from '../state.ts';
import { createJid } from './jid.ts';
import { isFromCompany } from './shown.ts';

/** The message of a contact and its file, as `POST gateway/inbound` takes them. */
type Written = { text: string } | { message: Json; message_type: string; base64?: string };

/** Returns an error sentence for a file that the network would refuse. */
export function composeMessage(sandbox: Sandbox, note: Json): Written | string {
  const raw = toObject(note['raw']);
  if (raw['reaction'] !== undefined) return composeReaction(sandbox, note, toObject(raw['reaction']));
  const quoted = toText(note['context']);
  const around = quoted === undefined ? {} : { contextInfo: { stanzaId: quoted } };
  if (raw['location'] !== undefined) {
    const { latitude, longitude, name, address } = toObject(raw['location']);
    return wrap('locationMessage', {
      degreesLatitude: latitude,
      degreesLongitude: longitude,
      name,
      address,
      ...around,
    });
  }
  if (Array.isArray(raw['contacts'])) return wrap('contactMessage', { ...writeCard(raw['contacts'][0]), ...around });
  const text = toText(note['text']) ?? '';
  const file = readPhoneFile(note, { seed: sandbox.gateway.counter, isPhone: true });
  if (typeof file === 'string') return file;
  if (!file) return quoted === undefined ? { text } : wrap('extendedTextMessage', { text, ...around });
  const { kind, mimetype, file_name: fileName, bytes } = file;
  const part = {
    mimetype,
    fileLength: String(bytes.length),
    ...(text !== '' && { caption: text }),
    ...(kind === 'document' && { fileName }),
    ...(kind === 'audio' && { ptt: mimetype.startsWith('audio/ogg') }),
    ...around,
  };
  return { ...wrap(`${kind}Message`, part), base64: bytes.toString('base64') };
}

const wrap = (type: string, part: Json) => ({ message: { [type]: part }, message_type: type });

function composeReaction(sandbox: Sandbox, note: Json, { message_id, emoji }: Json): Written {
  const target = sandbox.gateway.messages.get(String(message_id));
  const key = {
    id: message_id,
    remoteJid: createJid(String(note['contact'])),
    fromMe: target !== undefined && isFromCompany(target),
  };
  return wrap('reactionMessage', { key, text: emoji });
}

function writeCard(card: unknown): Json {
  const { name, phones } = toObject(card);
  const displayName = toText(toObject(name)['formatted_name']) ?? '';
  const phone = toText(toObject(Array.isArray(phones) ? phones[0] : undefined)['phone']) ?? '';
  return { displayName, vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:${displayName}\nTEL:${phone}\nEND:VCARD` };
}
