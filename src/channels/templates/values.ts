/** Reads the value that a parameter gives to one slot of a template. */
import type { GivenParameter } from './given.ts';
import { isAttachmentId } from './header.ts';
import type { Slot } from './shape.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** A file by its address, or by an id: that of an attachment, or the one that the network gave it. */
export interface MediaValue {
  link?: string;
  id?: string;
  filename?: string;
}

export type SlotValue =
  | { kind: 'text'; text: string }
  | { kind: 'currency'; code: string; amount: number }
  | { kind: 'date'; text: string }
  | { kind: 'media'; media: MediaValue }
  | { kind: 'location'; location: NonNullable<GivenParameter['location']> }
  | { kind: 'word'; word: string }
  | { kind: 'flow'; token: string | null; data: Record<string, unknown> }
  | { kind: 'moment'; ms: number }
  /** A value of the recipient that is not known yet. */
  | { kind: 'variable' };

/** A fault of a parameter: the property, or '' for the parameter as a whole. */
export interface ValueFault {
  property: string;
  code: string;
  message: string;
}

type Key = keyof GivenParameter;

// Far more than a screen shows; the network names no limit.
const MAX_FLOW_DATA = declareLimit(8_192, {
  topic: 'Campaigns',
  what: 'Template: `flow_action_data`',
  unit: 'characters',
  beyond: '400',
});

/** The properties of a parameter that can give a value to a slot of each type. */
const SOURCES: Record<Slot['type'], readonly Key[]> = {
  TEXT: ['text', 'value', 'currencyAmount', 'dateTime'],
  IMAGE: ['image', 'imageUrl', 'imageId', 'link', 'value'],
  VIDEO: ['video', 'videoUrl', 'link', 'value'],
  DOCUMENT: ['document', 'documentUrl', 'link', 'value'],
  LOCATION: ['location'],
  URL_SUFFIX: ['text', 'value'],
  PAYLOAD: ['payload', 'text', 'value'],
  COUPON_CODE: ['text', 'value', 'payload'],
  FLOW_TOKEN: ['payload', 'text', 'value'],
  PRODUCT: ['value', 'text', 'payload'],
  EXPIRATION: ['dateTime', 'value'],
};

/** Properties that go with a value and give none. */
const COMPANIONS: Partial<Record<Slot['type'], readonly Key[]>> = {
  TEXT: ['currencyCode'],
  DOCUMENT: ['documentFilename'],
  FLOW_TOKEN: ['flow_action_data'],
};

/** The description of the values that each type of slot takes. */
const NOUNS: Record<Slot['type'], string> = {
  TEXT: 'a text',
  IMAGE: 'an image',
  VIDEO: 'a video',
  DOCUMENT: 'a document',
  LOCATION: 'a location',
  URL_SUFFIX: 'the end of its address',
  PAYLOAD: 'a payload',
  COUPON_CODE: 'a code',
  FLOW_TOKEN: 'the token of a flow',
  PRODUCT: 'the id of a product',
  EXPIRATION: 'the time at which the offer ends',
};

const fault = (property: string, code: string, message: string): { fault: ValueFault } => ({
  fault: { property, code, message },
});

/** Properties that a parameter may have in any slot; a place on a map is no single value, so no variable can give it. */
const common = ({ type }: Slot): readonly Key[] =>
  type === 'LOCATION' ? ['type', 'parameter_name'] : ['type', 'parameter_name', 'variable_ref'];

/** Returns the value, or the fault of the parameter. */
export function readValue(slot: Slot, parameter: GivenParameter): { value: SlotValue } | { fault: ValueFault } {
  const keys = (Object.keys(parameter) as Key[]).filter((key) => parameter[key] !== undefined);
  const wanted = NOUNS[slot.type];
  const allowed = [...SOURCES[slot.type], ...(COMPANIONS[slot.type] ?? []), ...common(slot)];
  const stray = keys.find((key) => !allowed.includes(key));
  if (stray !== undefined) return fault(stray, 'TYPE_MISMATCH', `is not allowed here: the template takes ${wanted}`);
  const isVariable = parameter.variable_ref !== undefined;
  const [source, second] = keys.filter((key) => SOURCES[slot.type].includes(key));
  if (second !== undefined) return fault(second, 'INVALID', `cannot be combined with ${source}`);
  if (isVariable && source !== undefined && source !== 'text' && source !== 'value')
    return fault(source, 'INVALID', 'cannot be combined with variable_ref; text or value can');
  const { flow_action_data: data } = parameter;
  if (source === undefined && !isVariable && data === undefined) return fault('', 'REQUIRED', `must give ${wanted}`);
  const mismatch = findTypeMismatch(slot, parameter);
  if (mismatch) return mismatch;
  if (data !== undefined && JSON.stringify(data).length > MAX_FLOW_DATA)
    return fault('flow_action_data', 'MAX_LENGTH', `is longer than ${MAX_FLOW_DATA} characters of JSON`);
  if (data !== undefined && source === undefined && !isVariable) return { value: { kind: 'flow', token: null, data } };
  return isVariable ? { value: { kind: 'variable' } } : convert(slot, parameter, source ?? 'value');
}

/** The network's words for a parameter of each slot. */
const TYPE_NAMES: Record<Slot['type'], readonly string[]> = {
  TEXT: ['text'],
  IMAGE: ['image'],
  VIDEO: ['video'],
  DOCUMENT: ['document'],
  LOCATION: ['location'],
  URL_SUFFIX: ['text'],
  PAYLOAD: ['payload', 'text'],
  COUPON_CODE: ['coupon_code', 'text'],
  FLOW_TOKEN: ['action', 'payload', 'text'],
  PRODUCT: ['action', 'payload', 'text'],
  EXPIRATION: ['limited_time_offer', 'date_time'],
};

function findTypeMismatch(slot: Slot, { type, currencyCode, dateTime }: GivenParameter): { fault: ValueFault } | null {
  if (type === undefined) return null;
  const special = currencyCode === undefined ? dateTime !== undefined && 'date_time' : 'currency';
  const names = slot.type === 'TEXT' && special ? [special] : TYPE_NAMES[slot.type];
  return names.includes(type) ? null : fault('type', 'TYPE_MISMATCH', `does not fit: this is ${names.join(' or ')}`);
}

function convert(slot: Slot, parameter: GivenParameter, source: Key): { value: SlotValue } | { fault: ValueFault } {
  switch (slot.type) {
    case 'TEXT':
      return convertText(slot, parameter, source);
    case 'IMAGE':
    case 'VIDEO':
    case 'DOCUMENT':
      return convertMedia(parameter, source);
    case 'LOCATION':
      return parameter.location
        ? { value: { kind: 'location', location: parameter.location } }
        : fault('', 'REQUIRED', 'must give a location');
    case 'EXPIRATION':
      return convertMoment(readPlain(parameter, source), source);
    case 'URL_SUFFIX':
    case 'PAYLOAD':
    case 'COUPON_CODE':
    case 'FLOW_TOKEN':
      return convertFlow(slot, parameter, source);
    case 'PRODUCT':
      return convertWord(slot, readPlain(parameter, source), source);
  }
}

/** Returns the value of a property that is a text or a number. */
function readPlain(parameter: GivenParameter, source: Key): string {
  const value = parameter[source];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The network refuses a text with these in a variable: line breaks, tabs, and more than four spaces in a row. */
const REFUSED_IN_TEXT = /[\n\r\t]| {5}/;

function convertText(slot: Slot, parameter: GivenParameter, source: Key) {
  const { currencyCode, dateTime } = parameter;
  if (currencyCode !== undefined || source === 'currencyAmount') return convertCurrency(slot, parameter, source);
  if (dateTime !== undefined) {
    if (slot.component === 'HEADER') return fault('dateTime', 'TYPE_MISMATCH', 'is not allowed in a header');
    return checkText(dateTime, source) ?? { value: { kind: 'date' as const, text: dateTime } };
  }
  const text = readPlain(parameter, source);
  return checkText(text, source) ?? { value: { kind: 'text' as const, text } };
}

function checkText(text: string, source: Key): { fault: ValueFault } | null {
  if (text.trim() === '') return fault(source, 'INVALID', 'must contain more than spaces');
  if (!REFUSED_IN_TEXT.test(text)) return null;
  return fault(source, 'INVALID', 'must have no line breaks, no tabs and no more than four spaces in a row');
}

/** The network takes thousandths as a whole number of 32 bits. */
const MAX_THOUSANDTHS = 2 ** 31 - 1;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

function convertCurrency(slot: Slot, parameter: GivenParameter, source: Key) {
  const { currencyCode: code } = parameter;
  if (slot.component === 'HEADER')
    return fault(source, 'TYPE_MISMATCH', 'is an amount, which is not allowed in a header');
  if (code === undefined) return fault('currencyCode', 'REQUIRED', 'is required with currencyAmount');
  if (!CURRENCIES.has(code)) return fault('currencyCode', 'INVALID', 'is not the code of a currency, such as BRL');
  const given = parameter[source];
  if (source === 'text' || source === 'dateTime')
    return fault(source, 'INVALID', 'cannot be combined with currencyCode');
  const amount = typeof given === 'number' ? given : readAmount(readPlain(parameter, source));
  if (amount === null) return fault(source, 'INVALID', 'must be an amount such as 19.90');
  const thousandths = Math.round(amount * 1000);
  if (Math.abs(thousandths) > MAX_THOUSANDTHS) return fault(source, 'INVALID', 'is too large for the network');
  if (Math.abs(thousandths / 1000 - amount) > 1e-9) return fault(source, 'INVALID', 'has more than three decimals');
  return { value: { kind: 'currency' as const, code, amount } };
}

const readAmount = (text: string): number | null => (/^-?\d{1,12}(\.\d+)?$/.test(text.trim()) ? Number(text) : null);

/** An id that the network gave to a file. */
const NETWORK_ID = /^\d{1,20}$/;

function convertMedia(parameter: GivenParameter, source: Key) {
  const { link, id, filename, at } = pickMedia(parameter, source);
  if ((link === undefined) === (id === undefined)) return fault(source, 'INVALID', 'must have either link or id');
  if (id !== undefined && !isAttachmentId(id) && !NETWORK_ID.test(id))
    return fault(at, 'INVALID', 'must be the id of an attachment, or of a file at the network');
  if (link !== undefined && !/^https?:$/.test(URL.parse(link)?.protocol ?? ''))
    return fault(source, 'INVALID', 'must be a web address');
  const name = filename ?? parameter.documentFilename;
  const media = { ...(link === undefined ? {} : { link }), ...(id === undefined ? {} : { id }) };
  return { value: { kind: 'media' as const, media: name === undefined ? media : { ...media, filename: name } } };
}

/** Returns the file that a parameter names, and the place of its id in the parameter. */
function pickMedia(
  { image, video, document, imageId, ...parameter }: GivenParameter,
  source: Key,
): MediaValue & { at: string } {
  if (source === 'imageId') return { ...(imageId === undefined ? {} : { id: imageId }), at: source };
  const nested = { image, video, document }[source as 'image' | 'video' | 'document'];
  if (nested) return { ...nested, at: `${source}.id` } as MediaValue & { at: string };
  return { link: String(parameter[source as 'imageUrl']), at: source } as MediaValue & { at: string };
}

/** The most characters of a word, and which characters it may have. */
const WORDS: Partial<Record<Slot['type'], { most: number; form?: RegExp; words?: string }>> = {
  URL_SUFFIX: { most: 2_000 },
  PAYLOAD: { most: 256 },
  COUPON_CODE: { most: 20, form: /^[A-Za-z0-9]+$/, words: 'must be letters from A to Z and digits' },
  FLOW_TOKEN: { most: 256 },
  PRODUCT: { most: 256 },
};

function convertWord(slot: Slot, word: string, source: Key) {
  const { most, form, words } = WORDS[slot.type] ?? { most: 0 };
  if (word.trim() === '') return fault(source, 'INVALID', 'must contain more than spaces');
  if (word.length > most) return fault(source, 'MAX_LENGTH', `is longer than ${most} characters`);
  if (form && !form.test(word)) return fault(source, 'INVALID', words ?? 'is not valid');
  return { value: { kind: 'word' as const, word } };
}

function convertFlow(slot: Slot, parameter: GivenParameter, source: Key) {
  const { flow_action_data: data } = parameter;
  const word = convertWord(slot, readPlain(parameter, source), source);
  if ('fault' in word || data === undefined) return word;
  return { value: { kind: 'flow' as const, token: word.value.word, data } };
}

function convertMoment(text: string, source: Key) {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return fault(source, 'INVALID', 'must be a time such as 2026-01-31T12:00:00.000Z');
  if (ms <= Date.now()) return fault(source, 'INVALID', 'is in the past');
  return { value: { kind: 'moment' as const, ms } };
}
