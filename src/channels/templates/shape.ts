/** Reads the texts of a template from its components, and which values it needs when it is sent. */
import type { ParameterFormat, TemplateComponent } from './network.ts';

export const SLOT_COMPONENTS = ['HEADER', 'BODY', 'BUTTON', 'LIMITED_TIME_OFFER'] as const;
export const SLOT_TYPES = [
  'TEXT',
  'IMAGE',
  'VIDEO',
  'DOCUMENT',
  'LOCATION',
  'URL_SUFFIX',
  'PAYLOAD',
  'COUPON_CODE',
  'FLOW_TOKEN',
  'PRODUCT',
  'EXPIRATION',
] as const;

/** One value that a template takes. */
export interface Slot {
  component: (typeof SLOT_COMPONENTS)[number];
  /** The card of a carousel, from 0; null outside of cards. */
  card: number | null;
  /** The position of a button, from 0; null for other components. */
  index: number | null;
  /** The network's name of the button's kind; null for other components. */
  sub_type: string | null;
  /** The name of a variable in a template with named variables; null otherwise. */
  name: string | null;
  /** The position among the parameters of its component, from 1. */
  position: number;
  type: (typeof SLOT_TYPES)[number];
  /** False for values that the network does not ask for. */
  required: boolean;
  /** The example that was given for the review; null without one. */
  example: string | null;
}

export interface ButtonShape {
  index: number;
  type: string;
  label: string;
}

/** The texts that the message itself, or one card of its carousel, shows to the contact. */
export interface PartShape {
  card: number | null;
  headerText: string | null;
  offer: string | null;
  body: string | null;
  footer: string | null;
  buttons: ButtonShape[];
}

export interface TemplateShape {
  /** The message itself, and then the cards of its carousel. */
  parts: PartShape[];
  slots: Slot[];
  /** The part of the template that the platform cannot send, as text; null when the template can be sent. */
  unsupported: string | null;
}

/** The part of a template that its shape depends on. */
export interface ShapedTemplate {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

export function readShape({ components, parameterFormat }: ShapedTemplate): TemplateShape {
  const shape: TemplateShape = { parts: [], slots: [], unsupported: null };
  readPart({ shape, format: parameterFormat, card: null, part: openPart(shape, null) }, components);
  return shape;
}

interface Reading {
  shape: TemplateShape;
  format: ParameterFormat;
  card: number | null;
  part: PartShape;
}

function openPart(shape: TemplateShape, card: number | null): PartShape {
  const part: PartShape = { card, headerText: null, offer: null, body: null, footer: null, buttons: [] };
  shape.parts.push(part);
  return part;
}

function readPart(reading: Reading, components: TemplateComponent[]): void {
  for (const component of components) readComponent(reading, component);
}

function readComponent(reading: Reading, component: TemplateComponent): void {
  const { shape, format, part } = reading;
  const type = readWord(component['type']);
  switch (type) {
    case 'HEADER':
      return readHeader(reading, component);
    case 'BODY':
      part.body = readText(component['text']);
      return readVariables(reading, 'BODY', part.body ?? hiddenBody(component), component['example']);
    case 'FOOTER':
      part.footer = readText(component['text']);
      return;
    case 'BUTTONS':
      for (const [index, button] of readObjects(component['buttons']).entries()) readButton(reading, button, index);
      return;
    case 'LIMITED_TIME_OFFER': {
      const offer = readObject(component['limited_time_offer']);
      part.offer = readText(offer['text']);
      if (offer['has_expiration'] !== false) addSlot(reading, { component: 'LIMITED_TIME_OFFER', type: 'EXPIRATION' });
      return;
    }
    case 'CAROUSEL':
      for (const [card, item] of readObjects(component['cards']).entries())
        readPart({ shape, format, card, part: openPart(shape, card) }, readObjects(item['components']));
      return;
    default:
      refuse(shape, `a component of type ${type || 'unknown'}`);
  }
}

/** The network writes the body of a template with a one-time code by itself. Until it is fetched, only its one variable is known. */
const hiddenBody = (component: TemplateComponent): string =>
  component['add_security_recommendation'] === undefined ? '' : '{{1}}';

const MEDIA = new Map<string, Slot['type']>([
  ['IMAGE', 'IMAGE'],
  ['VIDEO', 'VIDEO'],
  // The network plays a GIF header from a video file.
  ['GIF', 'VIDEO'],
  ['DOCUMENT', 'DOCUMENT'],
  ['LOCATION', 'LOCATION'],
]);

function readHeader(reading: Reading, component: TemplateComponent): void {
  const format = readWord(component['format']) || 'TEXT';
  if (format === 'TEXT') {
    reading.part.headerText = readText(component['text']);
    return readVariables(reading, 'HEADER', reading.part.headerText ?? '', component['example']);
  }
  const type = MEDIA.get(format);
  if (type) addSlot(reading, { component: 'HEADER', type });
  else refuse(reading.shape, `a header of format ${format}`);
}

/** The value that a button of each type takes, and whether the network requires it. */
const BUTTONS = new Map<string, { sub_type: string; type: Slot['type']; required: boolean }>([
  ['QUICK_REPLY', { sub_type: 'QUICK_REPLY', type: 'PAYLOAD', required: false }],
  ['COPY_CODE', { sub_type: 'COPY_CODE', type: 'COUPON_CODE', required: true }],
  // The button of a one-time code is sent like a button with an address.
  ['OTP', { sub_type: 'URL', type: 'URL_SUFFIX', required: true }],
  ['FLOW', { sub_type: 'FLOW', type: 'FLOW_TOKEN', required: false }],
  ['CATALOG', { sub_type: 'CATALOG', type: 'PRODUCT', required: false }],
]);
/** Buttons that take no value. */
const PLAIN_BUTTONS = new Set(['PHONE_NUMBER', 'VOICE_CALL', 'URL']);

function readButton(reading: Reading, button: TemplateComponent, index: number): void {
  const type = readWord(button['type']);
  const label = readText(button['text']) ?? '';
  reading.part.buttons.push({ index, type, label });
  const example = readExample(button['example']);
  const hasVariable = type === 'URL' && listVariables(readText(button['url']) ?? '').length > 0;
  const value = hasVariable ? { sub_type: 'URL', type: 'URL_SUFFIX' as const, required: true } : BUTTONS.get(type);
  if (value) addSlot(reading, { component: 'BUTTON', index, example, ...value });
  else if (!PLAIN_BUTTONS.has(type)) refuse(reading.shape, `a button of type ${type || 'unknown'}`);
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/** Lists the variables of a text, each once: numbers in their order, names in the order of the text. */
export function listVariables(text: string): string[] {
  const names = [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
  return names.every((name) => /^\d+$/.test(name)) ? names.toSorted((a, b) => Number(a) - Number(b)) : names;
}

/** Returns the text with the value of each variable. */
export const fillVariables = (text: string, valueOf: (name: string) => string): string =>
  text.replaceAll(VARIABLE, (_, name: string) => valueOf(name));

function readVariables(reading: Reading, component: 'HEADER' | 'BODY', text: string, example: unknown): void {
  const isNamed = reading.format === 'NAMED';
  for (const [place, name] of listVariables(text).entries()) {
    addSlot(reading, {
      component,
      type: 'TEXT',
      name: isNamed ? name : null,
      position: place + 1,
      example: readVariableExample(readObject(example), { component, name: isNamed ? name : null, place }),
    });
  }
}

function readVariableExample(
  example: Record<string, unknown>,
  { component, name, place }: { component: 'HEADER' | 'BODY'; name: string | null; place: number },
): string | null {
  const [named, listed] =
    component === 'BODY'
      ? [example['body_text_named_params'], [example['body_text']].flat(2)]
      : [example['header_text_named_params'], [example['header_text']].flat()];
  if (name === null) return readText(listed[place]);
  return readText(readObjects(named).find((item) => item['param_name'] === name)?.['example']);
}

function addSlot(reading: Reading, slot: Partial<Slot> & Pick<Slot, 'component' | 'type'>): void {
  const absent = { index: null, sub_type: null, name: null, position: 1, required: true, example: null };
  reading.shape.slots.push({ ...absent, card: reading.card, ...slot });
}

function refuse(shape: TemplateShape, what: string): void {
  shape.unsupported ??= what;
}

const readWord = (value: unknown): string => (typeof value === 'string' ? value.trim().toUpperCase() : '');
const readText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** An example is a text, or a list of which the first item counts. */
const readExample = (value: unknown): string | null => readText([value].flat()[0]);
const readObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const readObjects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(readObject) : []);
