/** Records of the API as a model gets them: short, with the words of contacts marked. */
import type { JsonObject } from '../json.ts';
import { cleanFields, cleanOrNull } from './untrusted.ts';

export const showContact = (contact: JsonObject): JsonObject => ({
  id: contact['_id'],
  untrusted_name: cleanOrNull(contact['name']),
  phone: contact['phone_number'],
  email: contact['email'],
  tags: contact['tags'],
  last_message_at: contact['last_message_at'],
});

export const showWholeContact = (contact: JsonObject): JsonObject => ({
  ...showContact(contact),
  country: contact['country_code'],
  language: contact['language'],
  external_id: contact['external_id'],
  untrusted_username: cleanOrNull(contact['username']),
  business: contact['business'],
  owner: contact['owner'],
  opted_out: contact['opted_out'],
  blocked: contact['blocked'],
  source: contact['source'],
  untrusted_custom_fields: cleanFields(contact['custom_fields']),
  last_inbound_at: contact['last_inbound_at'],
  created_at: contact['createdAt'],
});

export const showConversation = (conversation: JsonObject): JsonObject => ({
  id: conversation['_id'],
  contact: conversation['contact'],
  untrusted_name: cleanOrNull(conversation['contact_summary']?.name),
  inbox: conversation['inbox'],
  channel: conversation['channel'],
  status: conversation['status'],
  handled_by: conversation['handled_by'],
  agent: conversation['agent'],
  owner: conversation['owner'],
  attendant: conversation['attendant'],
  team: conversation['team'],
  step: conversation['step'],
  tags: conversation['tags'],
  unread_count: conversation['unread_count'],
  last_message_at: conversation['last_message_at'],
  last_inbound_at: conversation['last_inbound_at'],
  window_open_until: conversation['window_expires_at'],
});

/** Shows a message. The text of a contact is marked as untrusted, and so is every file name. */
export function showMessage(message: JsonObject): JsonObject {
  const isFromContact = message['message_type'] === 'INCOMING';
  const words = cleanOrNull(message['content']);
  return {
    id: message['_id'],
    type: message['message_type'],
    sender_type: message['sender_type'],
    content_type: message['contentType'],
    ...(isFromContact ? { untrusted_text: words } : { text: words }),
    ...(message['media'] && { untrusted_file_name: cleanOrNull(message['media'].fileName) }),
    ...(message['reaction'] && { untrusted_reaction: cleanOrNull(message['reaction'].emoji) }),
    status: message['status'],
    ...(message['errors'].length > 0 && { error: message['errors'][0].code }),
    reply_to: message['reply_to'],
    at: message['createdAt'],
  };
}

/** A message that is found outside of its conversation. */
export const showFoundMessage = (message: JsonObject): JsonObject => ({
  conversation: message['conversation'],
  contact: message['contact'],
  inbox: message['inbox'],
  ...showMessage(message),
});
