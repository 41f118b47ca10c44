import { toObject, toText, getOwnProperty, type Json } from './exchange.ts';
import type { GraphFailure } from './graph-errors.ts';
import { checkMediaReference } from './message-rules.ts';
import type { Sandbox } from './state.ts';
import type { Template } from './templates.ts';

/** The distinct placeholders of a text in the order of their first use: `{{1}}` or `{{first_name}}`. */
export const findPlaceholders = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)),
];

// The required parts of each template, computed once: a benchmark sends the same template a million times.
const partsByTemplate = new WeakMap<Template, Parts>();

type Button = { index: number; type: string; isRequired: boolean };
type Parts = { body: string[]; headerFormat: string | null; headerText: string[]; buttons: Button[] };

function requiredParts(template: Template): Parts {
  const known = partsByTemplate.get(template);
  if (known !== undefined) return known;
  const find = (type: string): Json =>
    template.components.find((component) => String(component['type']).toUpperCase() === type) ?? {};
  const header = find('HEADER');
  const buttons = find('BUTTONS')['buttons'];
  const parts = {
    body: findPlaceholders(toText(find('BODY')['text']) ?? ''),
    headerFormat: toText(header['format'])?.toUpperCase() ?? null,
    headerText: findPlaceholders(toText(header['text']) ?? ''),
    buttons: (Array.isArray(buttons) ? buttons.map(toObject) : []).map(describeButton),
  };
  partsByTemplate.set(template, parts);
  return parts;
}

function describeButton(button: Json, index: number): Button {
  const type = String(button['type']).toUpperCase();
  const isRequired = type === 'COPY_CODE' || type === 'OTP' || (type === 'URL' && String(button['url']).includes('{{'));
  return { index, type, isRequired };
}

/** Checks the components of a template message against those that its template requires. */
export function checkComponents(sandbox: Sandbox, template: Template, given: unknown): GraphFailure | undefined {
  if (given !== undefined && !Array.isArray(given)) return { code: 100, details: 'Param components must be an array.' };
  const components = (given ?? []).map(toObject);
  const parts = requiredParts(template);
  const of = (type: string): Json[] => components.filter((item) => String(item['type']).toLowerCase() === type);
  const known = new Set(['header', 'body', 'button', 'footer', 'carousel', 'limited_time_offer']);
  const stray = components.find((item) => !known.has(String(item['type']).toLowerCase()));
  if (stray !== undefined) return { code: 100, details: `Unexpected component type "${String(stray['type'])}".` };
  return (
    checkHeader(sandbox, parts, template, of('header')[0]) ??
    checkTexts('body', parts.body, template, readParameters(of('body')[0])) ??
    checkButtons(parts.buttons, of('button')) ??
    checkCards(sandbox, template, of('carousel')[0])
  );
}

const readObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(toObject) : []);

/** Checks that each card of the template's carousel is given, and its components. */
function checkCards(sandbox: Sandbox, template: Template, given: Json | undefined): GraphFailure | undefined {
  const carousel = template.components.find(({ type }) => String(type).toUpperCase() === 'CAROUSEL');
  const wanted = readObjects(carousel?.['cards']);
  const cards = readObjects(given?.['cards']);
  if (cards.length !== wanted.length) {
    const details = `carousel: number of cards (${cards.length}) does not match the expected number (${wanted.length})`;
    return { code: 132000, details };
  }
  for (const [index, { components }] of wanted.entries()) {
    const card = cards.find((each) => each['card_index'] === index);
    if (card === undefined) return { code: 132000, details: `carousel: the card ${index} is missing` };
    const failure = checkComponents(sandbox, { ...template, components: readObjects(components) }, card['components']);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

const readParameters = (component: Json | undefined): Json[] =>
  Array.isArray(component?.['parameters']) ? component['parameters'].map(toObject) : [];

function checkHeader(
  sandbox: Sandbox,
  parts: Parts,
  template: Template,
  component: Json | undefined,
): GraphFailure | undefined {
  const parameters = readParameters(component);
  const { headerFormat } = parts;
  if (headerFormat === null || headerFormat === 'TEXT') {
    return checkTexts('header', parts.headerText, template, parameters);
  }
  const wanted = headerFormat === 'GIF' ? 'video' : headerFormat.toLowerCase();
  const [parameter] = parameters;
  const received = (toText(parameter?.['type']) ?? 'unknown').toLowerCase();
  if (parameter === undefined || received !== wanted) {
    const details = `header: Format mismatch, expected ${headerFormat}, received ${received.toUpperCase()}`;
    return { code: 132012, details };
  }
  return wanted === 'location' ? undefined : checkMediaReference(wanted, getOwnProperty(parameter, wanted), sandbox);
}

function checkTexts(where: string, names: string[], template: Template, parameters: Json[]): GraphFailure | undefined {
  if (parameters.length !== names.length) {
    const details = `${where}: number of localizable_params (${parameters.length}) does not match the expected number of params (${names.length})`;
    return { code: 132000, details };
  }
  for (const [index, parameter] of parameters.entries()) {
    const failure = checkName(where, names, template, parameter) ?? checkValue(where, index, parameter);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function checkName(where: string, names: string[], template: Template, parameter: Json): GraphFailure | undefined {
  const name = toText(parameter['parameter_name']);
  if (template.parameter_format === 'POSITIONAL') {
    return name === undefined ? undefined : { code: 132012, details: `${where}: parameter_name is not allowed here` };
  }
  const isKnown = name !== undefined && names.includes(name);
  return isKnown ? undefined : { code: 132012, details: `${where}: Parameter name is missing or empty or unknown` };
}

function checkValue(where: string, index: number, parameter: Json): GraphFailure | undefined {
  const type = String(parameter['type']).toLowerCase();
  const path = `${where}['parameters'][${index}]`;
  if (type === 'text') {
    const text = toText(parameter['text']);
    if (!text) return { code: 131008, details: `Required parameter is missing: ${path}['text'].` };
    if (!/[\n\t]| {5}/.test(text)) return undefined;
    const message = '(#100) Invalid parameter';
    return {
      code: 100,
      message,
      details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    };
  }
  if (type === 'currency' || type === 'date_time') {
    const value = toObject(parameter[type]);
    const hasAmount =
      type === 'date_time' || (Number.isInteger(value['amount_1000']) && /^[A-Z]{3}$/.test(String(value['code'])));
    if (toText(value['fallback_value']) && hasAmount) return undefined;
    return { code: 131008, details: `Required parameter is missing: ${path}['${type}'].` };
  }
  return { code: 132012, details: `${where}: Format mismatch, expected TEXT, received ${type.toUpperCase()}` };
}

const PARAMETER_OF_BUTTON: Record<string, string> = {
  URL: 'text',
  OTP: 'text',
  QUICK_REPLY: 'payload',
  COPY_CODE: 'coupon_code',
  FLOW: 'action',
};

function checkButtons(buttons: Button[], given: Json[]): GraphFailure | undefined {
  for (const component of given) {
    const button = buttons[Number(component['index'])];
    if (button === undefined) {
      return { code: 132000, details: `buttons: There is no button at index ${String(component['index'])}` };
    }
    const subType = String(component['sub_type']).toUpperCase();
    const isSame = subType === button.type || (button.type === 'OTP' && subType === 'URL');
    if (!isSame) {
      return {
        code: 132012,
        details: `buttons: Format mismatch at index ${button.index}, expected ${button.type}, received ${subType}`,
      };
    }
    const key = getOwnProperty(PARAMETER_OF_BUTTON, button.type);
    if (key !== undefined && getOwnProperty(readParameters(component)[0] ?? {}, key) === undefined) {
      return { code: 131008, details: `buttons: Button at index ${button.index} requires the parameter ${key}` };
    }
  }
  const forgotten = buttons.find(
    ({ index, isRequired }) => isRequired && !given.some((item) => Number(item['index']) === index),
  );
  if (forgotten === undefined) return undefined;
  return {
    code: 131008,
    details: `buttons: Button at index ${forgotten.index} of type ${forgotten.type} requires a parameter`,
  };
}
