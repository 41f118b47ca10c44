import { toObject, toText, getOwnProperty, type Json } from './exchange.ts';
import type { GraphFailure } from './graph-errors.ts';
import { findMedia } from './media.ts';
import type { Sandbox } from './state.ts';

type CheckPart = (part: unknown, sandbox: Sandbox) => GraphFailure | undefined;

// The length limits that the network documents.
const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const INTERACTIVE_BODY_MAX = 1_024;
const LIST_BODY_MAX = 4_096;
const CALLBACK_DATA_MAX = 512;

const makeMissingFailure = (path: string): GraphFailure => ({
  code: 100,
  message: `(#100) The parameter ${path} is required.`,
});
const makeInvalidFailure = (details: string): GraphFailure => ({ code: 131009, details });
const makeTooLongFailure = (path: string, max: number): GraphFailure => ({
  code: 100,
  message: `(#100) Param ${path} must be at most ${max} characters long.`,
});

const RULES: Record<string, CheckPart> = {
  text: (part) => {
    const body = toText(toObject(part)['body']);
    if (!body) return makeMissingFailure("text['body']");
    return body.length > TEXT_MAX ? makeTooLongFailure("text['body']", TEXT_MAX) : undefined;
  },
  image: makeMediaCheck('image', true),
  video: makeMediaCheck('video', true),
  document: makeMediaCheck('document', true),
  audio: makeMediaCheck('audio', false),
  sticker: makeMediaCheck('sticker', false),
  location: (part) => {
    const { latitude, longitude } = toObject(part);
    if (latitude === undefined) return makeMissingFailure("location['latitude']");
    if (longitude === undefined) return makeMissingFailure("location['longitude']");
    const isInside = Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180;
    return isInside
      ? undefined
      : makeInvalidFailure("Param location['latitude'] or location['longitude'] is out of range.");
  },
  contacts: (part) => {
    if (!Array.isArray(part) || part.length === 0) return makeMissingFailure('contacts');
    const nameless = part.findIndex((contact) => !toText(toObject(toObject(contact)['name'])['formatted_name']));
    return nameless < 0 ? undefined : makeMissingFailure(`contacts[${nameless}]['name']['formatted_name']`);
  },
  reaction: (part) => {
    const { message_id, emoji } = toObject(part);
    if (!toText(message_id)) return makeMissingFailure("reaction['message_id']");
    return typeof emoji === 'string' ? undefined : makeMissingFailure("reaction['emoji']");
  },
  interactive: (part) => checkInteractive(toObject(part)),
  // template-rules.ts checks templates against the catalogue.
  template: () => undefined,
};

/** Checks the fields that all types have, and the object of the message's own type. */
export function checkMessage(sandbox: Sandbox, body: Json): GraphFailure | undefined {
  const type = toText(body['type']) ?? 'text';
  const rule = getOwnProperty(RULES, type);
  if (rule === undefined) {
    const known = Object.keys(RULES).map((name) => name.toUpperCase());
    return { code: 100, message: `(#100) Param type must be one of {${known.join(', ')}} - got "${type}".` };
  }
  const callbackData = body['biz_opaque_callback_data'];
  if (callbackData !== undefined && (toText(callbackData) ?? '').length > CALLBACK_DATA_MAX) {
    return makeInvalidFailure(`Param biz_opaque_callback_data must be at most ${CALLBACK_DATA_MAX} characters long.`);
  }
  if (body['context'] !== undefined && !toText(toObject(body['context'])['message_id'])) {
    return makeMissingFailure("context['message_id']");
  }
  const part = getOwnProperty(body, type);
  if (part === undefined) return { code: 131008, details: `Required parameter is missing: ${type}.` };
  return rule(part, sandbox);
}

function makeMediaCheck(type: string, takesCaption: boolean): CheckPart {
  return (part, sandbox) => {
    const { caption } = toObject(part);
    if (caption !== undefined && !takesCaption) return makeInvalidFailure(`Param ${type}['caption'] is not allowed.`);
    if (caption !== undefined && !isWithin(caption, CAPTION_MAX) && caption !== '')
      return makeTooLongFailure(`${type}['caption']`, CAPTION_MAX);
    return checkMediaReference(type, part, sandbox);
  };
}

/** Checks that a media object has exactly one of `id` and `link`, and that an id belongs to an uploaded file. */
export function checkMediaReference(type: string, part: unknown, sandbox: Sandbox): GraphFailure | undefined {
  const { id, link } = toObject(part);
  if ((id === undefined) === (link === undefined)) {
    return { code: 100, message: `(#100) Exactly one of ${type}['id'] and ${type}['link'] is required.` };
  }
  if (link !== undefined && !/^https?:\/\//.test(toText(link) ?? ''))
    return makeInvalidFailure(`Param ${type}['link'] is not a valid URI.`);
  if (
    id !== undefined &&
    !sandbox.graph.accounts.open &&
    findMedia(sandbox.graph.media, toText(id) ?? '') === undefined
  ) {
    return {
      code: 100,
      message: `(#100) Param ${type}['id'] is not a valid whatsapp business account media attachment ID`,
    };
  }
  return undefined;
}

function checkInteractive(part: Json): GraphFailure | undefined {
  const type = toText(part['type']);
  if (type === undefined) return makeMissingFailure("interactive['type']");
  const text = toText(toObject(part['body'])['text']);
  const takesNoBody = type === 'product' || type === 'catalog_message';
  if (!text && !takesNoBody) return makeMissingFailure("interactive['body']['text']");
  const max = type === 'list' ? LIST_BODY_MAX : INTERACTIVE_BODY_MAX;
  if ((text ?? '').length > max) return makeTooLongFailure("interactive['body']['text']", max);
  const action = toObject(part['action']);
  if (type === 'button') return checkButtons(action['buttons']);
  if (type === 'list') return checkList(action);
  if (part['action'] === undefined)
    return { code: 131008, details: "Required parameter is missing: interactive['action']." };
  return undefined;
}

function checkButtons(buttons: unknown): GraphFailure | undefined {
  if (!Array.isArray(buttons)) return makeMissingFailure("interactive['action']['buttons']");
  if (buttons.length < 1 || buttons.length > 3)
    return makeInvalidFailure('Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3');
  const replies = buttons.map((button) => toObject(toObject(button)['reply']));
  if (replies.some(({ id, title }) => !isWithin(id, 256) || !isWithin(title, 20))) {
    return makeInvalidFailure('Button id must have 1 to 256 and button title 1 to 20 characters.');
  }
  const isUnique = new Set(replies.map(({ id }) => id)).size === replies.length;
  return isUnique ? undefined : makeInvalidFailure('Button ids must be unique.');
}

function checkList(action: Json): GraphFailure | undefined {
  if (!isWithin(action['button'], 20)) return makeInvalidFailure('List button must have 1 to 20 characters.');
  const sections = action['sections'];
  if (!Array.isArray(sections)) return makeMissingFailure("interactive['action']['sections']");
  const rows = sections.flatMap((section) => toObject(section)['rows'] ?? []).map(toObject);
  if (rows.length < 1 || rows.length > 10) return makeInvalidFailure('Total row count exceed max allowed count: 10');
  const hasBadRow = rows.some(
    ({ id, title, description }) =>
      !isWithin(id, 200) || !isWithin(title, 24) || (description !== undefined && !isWithin(description, 72)),
  );
  return hasBadRow
    ? makeInvalidFailure('Row id must have 1 to 200, title 1 to 24 and description at most 72 characters.')
    : undefined;
}

const isWithin = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= max;
