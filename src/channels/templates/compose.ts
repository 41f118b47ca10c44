/** Fills in an approved template: makes the components for the network, and the text that the contact will read. */
import { findSizeFault, MAX_CONTENT_BYTES } from '../../platform/values/sizes.ts';
import { fillSlots, type Filled } from './fill.ts';
import { formatCurrency, formatDate } from './formats.ts';
import type { Fault, GivenComponent } from './given.ts';
import type { TemplateComponent } from './network.ts';
import { fillVariables, listVariables, readShape, type PartShape, type ShapedTemplate, type Slot } from './shape.ts';
import type { SlotValue } from './values.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** An approved template. Its language decides how amounts and dates are written. */
export interface ApprovedTemplate extends ShapedTemplate {
  name: string;
  language: string;
}

export interface FilledTemplate {
  /** The text that the contact reads: header, body, footer and buttons. */
  content: string;
  /** The components in the form of the network. */
  components: TemplateComponent[];
}

/**
 * Checks the parameters before any recipient is known: their number and types, and all values but those of variables. Returns what is
 * wrong, or an empty list.
 */
export function checkParameters(template: ApprovedTemplate, given: readonly GivenComponent[]): Fault[] {
  return fillSlots(readShape(template), template.parameterFormat, given).faults;
}

interface Composing {
  template: ApprovedTemplate;
  filled: Filled[];
  timeZone: string | null;
}

/**
 * Fills in the template. `given` must name no variables any more: resolveVariables() replaces them by the recipient's values. `timeZone` is
 * where times are read; null for UTC.
 */
export function composeTemplate(
  template: ApprovedTemplate,
  given: readonly GivenComponent[],
  timeZone: string | null = null,
): FilledTemplate | { faults: Fault[] } {
  const shape = readShape(template);
  const { filled, faults } = fillSlots(shape, template.parameterFormat, given);
  if (faults.length > 0) return { faults };
  const composing = { template, filled, timeZone };
  const tooLong = shape.parts.flatMap((part) => findTooLong(composing, part, shape.parts.length));
  if (tooLong.length > 0) return { faults: tooLong };
  const composed = {
    content: shape.parts
      .map((part) => writePart(composing, part))
      .filter((text) => text !== '')
      .join('\n\n'),
    components: makeComponents(composing, shape.parts, shape.slots),
  };
  const fault = findSizeFault(composed, MAX_CONTENT_BYTES);
  return fault === null
    ? composed
    : { faults: [{ path: '', code: 'TOO_LARGE', message: `make a message that ${fault}` }] };
}

/** The value as the contact reads it. */
function display({ template, timeZone }: Composing, value: SlotValue): string {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'currency':
      return formatCurrency(template.language, value.code, value.amount);
    case 'date':
      return formatDate(template.language, value.text, timeZone);
    case 'word':
      return value.word;
    case 'media':
    case 'location':
    case 'flow':
    case 'moment':
    case 'variable':
      return '';
  }
}

const valuesFor = ({ filled }: Composing, { component, card, index }: Pick<Slot, 'component' | 'card' | 'index'>) =>
  filled.filter(({ slot }) => slot.component === component && slot.card === card && slot.index === index);

function fillText(composing: Composing, part: PartShape, component: 'HEADER' | 'BODY'): string {
  const text = component === 'HEADER' ? part.headerText : part.body;
  const values = valuesFor(composing, { component, card: part.card, index: null });
  if (text === null) return values.map(({ value }) => display(composing, value)).join(' ');
  const names = listVariables(text);
  return fillVariables(text, (name) => {
    const place = names.indexOf(name) + 1;
    const found = values.find(({ slot }) => (slot.name === null ? slot.position === place : slot.name === name));
    return found ? display(composing, found.value) : '';
  });
}

// The network's limits for a filled-in text. Only a template that is nothing but a body may be longer.
const MAX_HEADER = declareLimit(60, {
  topic: 'Campaigns',
  what: 'Template: header with its values',
  unit: 'characters',
  beyond: '400, or an error of the recipient',
});
const MAX_BODY = declareLimit(1_024, {
  topic: 'Campaigns',
  what: 'Template: body with its values',
  unit: 'characters',
  beyond: '400, or an error of the recipient',
});
const MAX_LONE_BODY = declareLimit(32_768, {
  topic: 'Campaigns',
  what: 'Template: body with its values, if there is nothing else',
  unit: 'characters',
  beyond: '400, or an error of the recipient',
});

function findTooLong(composing: Composing, part: PartShape, parts: number): Fault[] {
  const isLone = parts === 1 && composing.template.components.length === 1;
  const limits = { HEADER: MAX_HEADER, BODY: isLone ? MAX_LONE_BODY : MAX_BODY } as const;
  return (['HEADER', 'BODY'] as const).flatMap((component) => {
    const [first] = valuesFor(composing, { component, card: part.card, index: null });
    const length = Array.from(fillText(composing, part, component)).length;
    if (!first || length <= limits[component]) return [];
    const message = `makes the ${component.toLowerCase()} longer than ${limits[component]} characters: it would have ${length}`;
    return [{ path: first.path.replace(/\[\d+\]$/, ''), code: 'MAX_LENGTH', message }];
  });
}

function writePart(composing: Composing, part: PartShape): string {
  const buttons = part.buttons.map(({ type, label, index }) => {
    const [code] = type === 'COPY_CODE' ? valuesFor(composing, { component: 'BUTTON', card: part.card, index }) : [];
    const words = [label, ...(code ? [display(composing, code.value)] : [])].filter((word) => word !== '');
    return `[${words.join(': ')}]`;
  });
  return [
    fillText(composing, part, 'HEADER'),
    part.offer ?? '',
    fillText(composing, part, 'BODY'),
    part.footer ?? '',
    buttons.join('\n'),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function makeComponents(composing: Composing, parts: PartShape[], slots: Slot[]): TemplateComponent[] {
  const [message, ...cards] = parts.map((part) => makePart(composing, part, slots));
  if (cards.length === 0) return message ?? [];
  const carousel = { type: 'carousel', cards: cards.map((components, card) => ({ card_index: card, components })) };
  return [...(message ?? []), carousel];
}

/** Makes the components of the message itself or of one card. Parts without a value are not sent. */
function makePart(composing: Composing, { card, buttons }: PartShape, slots: Slot[]): TemplateComponent[] {
  const plain = (['HEADER', 'LIMITED_TIME_OFFER', 'BODY'] as const).flatMap((component) => {
    const values = valuesFor(composing, { component, card, index: null });
    if (values.length === 0) return [];
    const ordered = values.toSorted((a, b) => a.slot.position - b.slot.position);
    return [{ type: component.toLowerCase(), parameters: ordered.map((filled) => makeParameter(composing, filled)) }];
  });
  const pressed = buttons.flatMap(({ index }) => {
    const slot = slots.find((each) => each.component === 'BUTTON' && each.card === card && each.index === index);
    const [filled] = valuesFor(composing, { component: 'BUTTON', card, index });
    return slot ? makeButton(composing, slot, filled ?? null) : [];
  });
  return [...plain, ...pressed];
}

/** The token that the network gives to a flow which is sent without one. */
const NO_FLOW_TOKEN = 'unused';

function makeButton(composing: Composing, slot: Slot, filled: Filled | null): TemplateComponent[] {
  const button = { type: 'button', sub_type: slot.sub_type?.toLowerCase(), index: String(slot.index) };
  if (filled) return [{ ...button, parameters: [makeParameter(composing, filled)] }];
  if (slot.type === 'FLOW_TOKEN')
    return [{ ...button, parameters: [{ type: 'action', action: { flow_token: NO_FLOW_TOKEN } }] }];
  // Without a product the network shows the first one of the catalogue.
  return slot.type === 'PRODUCT' ? [button] : [];
}

function makeParameter(composing: Composing, { slot, value }: Filled): TemplateComponent {
  const named = slot.name === null ? {} : { parameter_name: slot.name };
  switch (value.kind) {
    case 'text':
      return { type: 'text', ...named, text: value.text };
    case 'currency': {
      const { code, amount } = value;
      const currency = { fallback_value: display(composing, value), code, amount_1000: Math.round(amount * 1000) };
      return { type: 'currency', ...named, currency };
    }
    case 'date':
      return { type: 'date_time', ...named, date_time: { fallback_value: display(composing, value) } };
    case 'media': {
      const kind = slot.type.toLowerCase();
      return { type: kind, [kind]: value.media };
    }
    case 'location':
      return { type: 'location', location: value.location };
    case 'word':
      return makeWord(slot, value.word);
    case 'flow': {
      const { token, data } = value;
      return { type: 'action', action: { flow_token: token ?? NO_FLOW_TOKEN, flow_action_data: data } };
    }
    case 'moment':
      return { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: value.ms } };
    case 'variable':
      throw new Error('a variable was not replaced by its value');
  }
}

function makeWord({ type }: Slot, word: string): TemplateComponent {
  if (type === 'PAYLOAD') return { type: 'payload', payload: word };
  if (type === 'COUPON_CODE') return { type: 'coupon_code', coupon_code: word };
  if (type === 'FLOW_TOKEN') return { type: 'action', action: { flow_token: word } };
  if (type === 'PRODUCT') return { type: 'action', action: { thumbnail_product_retailer_id: word } };
  return { type: 'text', text: word };
}
