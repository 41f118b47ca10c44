import { asObject, asText, own, type Json } from './exchange.ts';
import type { GraphFailure } from './graph-errors.ts';
import { findMedia } from './media.ts';
import type { Sandbox } from './state.ts';

type Rule = (part: unknown, sandbox: Sandbox) => GraphFailure | undefined;

// The length limits that the network documents.
const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const INTERACTIVE_BODY_MAX = 1_024;
const LIST_BODY_MAX = 4_096;
const CALLBACK_DATA_MAX = 512;

const missing = (path: string): GraphFailure => ({ code: 100, message: `(#100) The parameter ${path} is required.` });
const invalid = (details: string): GraphFailure => ({ code: 131009, details });
const tooLong = (path: string, max: number): GraphFailure => ({
  code: 100,
  message: `(#100) Param ${path} must be at most ${max} characters long.`,
});

const RULES: Record<string, Rule> = {
  text: (part) => {
    const body = asText(asObject(part)['body']);
    if (!body) return missing("text['body']");
    return body.length > TEXT_MAX ? tooLong("text['body']", TEXT_MAX) : undefined;
  },
  image: mediaRule('image', true),
  video: mediaRule('video', true),
  document: mediaRule('document', true),
  audio: mediaRule('audio', false),
  sticker: mediaRule('sticker', false),
  location: (part) => {
    const { latitude, longitude } = asObject(part);
    if (latitude === undefined) return missing("location['latitude']");
    if (longitude === undefined) return missing("location['longitude']");
    const isInside = Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180;
    return isInside ? undefined : invalid("Param location['latitude'] or location['longitude'] is out of range.");
  },
  contacts: (part) => {
    if (!Array.isArray(part) || part.length === 0) return missing('contacts');
    const nameless = part.findIndex((contact) => !asText(asObject(asObject(contact)['name'])['formatted_name']));
    return nameless < 0 ? undefined : missing(`contacts[${nameless}]['name']['formatted_name']`);
  },
  reaction: (part) => {
    const { message_id, emoji } = asObject(part);
    if (!asText(message_id)) return missing("reaction['message_id']");
    return typeof emoji === 'string' ? undefined : missing("reaction['emoji']");
  },
  interactive: (part) => checkInteractive(asObject(part)),
  // template-rules.ts checks templates against the catalogue.
  template: () => undefined,
};

/** Checks the fields that all types have, and the object of the message's own type. */
export function checkMessage(sandbox: Sandbox, body: Json): GraphFailure | undefined {
  const type = asText(body['type']) ?? 'text';
  const rule = own(RULES, type);
  if (rule === undefined) {
    const known = Object.keys(RULES).map((name) => name.toUpperCase());
    return { code: 100, message: `(#100) Param type must be one of {${known.join(', ')}} - got "${type}".` };
  }
  const callbackData = body['biz_opaque_callback_data'];
  if (callbackData !== undefined && (asText(callbackData) ?? '').length > CALLBACK_DATA_MAX) {
    return invalid(`Param biz_opaque_callback_data must be at most ${CALLBACK_DATA_MAX} characters long.`);
  }
  if (body['context'] !== undefined && !asText(asObject(body['context'])['message_id'])) {
    return missing("context['message_id']");
  }
  const part = own(body, type);
  if (part === undefined) return { code: 131008, details: `Required parameter is missing: ${type}.` };
  return rule(part, sandbox);
}

function mediaRule(type: string, takesCaption: boolean): Rule {
  return (part, sandbox) => {
    const { caption } = asObject(part);
    if (caption !== undefined && !takesCaption) return invalid(`Param ${type}['caption'] is not allowed.`);
    if (caption !== undefined && !isWithin(caption, CAPTION_MAX) && caption !== '')
      return tooLong(`${type}['caption']`, CAPTION_MAX);
    return checkMediaReference(type, part, sandbox);
  };
}

/** Checks that a media object has exactly one of `id` and `link`, and that an id belongs to an uploaded file. */
export function checkMediaReference(type: string, part: unknown, sandbox: Sandbox): GraphFailure | undefined {
  const { id, link } = asObject(part);
  if ((id === undefined) === (link === undefined)) {
    return { code: 100, message: `(#100) Exactly one of ${type}['id'] and ${type}['link'] is required.` };
  }
  if (link !== undefined && !/^https?:\/\//.test(asText(link) ?? ''))
    return invalid(`Param ${type}['link'] is not a valid URI.`);
  if (
    id !== undefined &&
    !sandbox.graph.accounts.open &&
    findMedia(sandbox.graph.media, asText(id) ?? '') === undefined
  ) {
    return {
      code: 100,
      message: `(#100) Param ${type}['id'] is not a valid whatsapp business account media attachment ID`,
    };
  }
  return undefined;
}

function checkInteractive(part: Json): GraphFailure | undefined {
  const type = asText(part['type']);
  if (type === undefined) return missing("interactive['type']");
  const text = asText(asObject(part['body'])['text']);
  const takesNoBody = type === 'product' || type === 'catalog_message';
  if (!text && !takesNoBody) return missing("interactive['body']['text']");
  const max = type === 'list' ? LIST_BODY_MAX : INTERACTIVE_BODY_MAX;
  if ((text ?? '').length > max) return tooLong("interactive['body']['text']", max);
  const action = asObject(part['action']);
  if (type === 'button') return checkButtons(action['buttons']);
  if (type === 'list') return checkList(action);
  if (part['action'] === undefined)
    return { code: 131008, details: "Required parameter is missing: interactive['action']." };
  return undefined;
}

function checkButtons(buttons: unknown): GraphFailure | undefined {
  if (!Array.isArray(buttons)) return missing("interactive['action']['buttons']");
  if (buttons.length < 1 || buttons.length > 3)
    return invalid('Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3');
  const replies = buttons.map((button) => asObject(asObject(button)['reply']));
  if (replies.some(({ id, title }) => !isWithin(id, 256) || !isWithin(title, 20))) {
    return invalid('Button id must have 1 to 256 and button title 1 to 20 characters.');
  }
  const isUnique = new Set(replies.map(({ id }) => id)).size === replies.length;
  return isUnique ? undefined : invalid('Button ids must be unique.');
}

function checkList(action: Json): GraphFailure | undefined {
  if (!isWithin(action['button'], 20)) return invalid('List button must have 1 to 20 characters.');
  const sections = action['sections'];
  if (!Array.isArray(sections)) return missing("interactive['action']['sections']");
  const rows = sections.flatMap((section) => asObject(section)['rows'] ?? []).map(asObject);
  if (rows.length < 1 || rows.length > 10) return invalid('Total row count exceed max allowed count: 10');
  const hasBadRow = rows.some(
    ({ id, title, description }) =>
      !isWithin(id, 200) || !isWithin(title, 24) || (description !== undefined && !isWithin(description, 72)),
  );
  return hasBadRow
    ? invalid('Row id must have 1 to 200, title 1 to 24 and description at most 72 characters.')
    : undefined;
}

const isWithin = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= max;
