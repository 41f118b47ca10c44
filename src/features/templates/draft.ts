/**
 * Checks a template before it is submitted, and its new contents before it is changed: what the network would certainly refuse is refused
 * here, with its place in the request.
 */
import type { TemplateDraft } from '../../channels/templates/network.ts';
import { listVariables } from '../../channels/templates/shape.ts';
import { invalid } from '../../platform/values/errors.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import type { TemplateRow } from './queries.ts';
import type { DraftComponent, TemplateCreate, TemplateUpdate } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

type Component = DraftComponent;
type Button = NonNullable<Component['buttons']>[number];

/** Returns the template as it is submitted. Throws VALIDATION_FAILED. */
export function toDraft({ name, language, category, parameter_format, components }: TemplateCreate): TemplateDraft {
  const isNamed = components.some((component) => textsIn(component).some((text) => listVariables(text).some(isName)));
  const parameterFormat = parameter_format ?? (isNamed ? 'NAMED' : 'POSITIONAL');
  checkComponents(components, { format: parameterFormat, category, path: 'components' });
  return { name, language, category, parameterFormat, components };
}

/** The statuses in which the network accepts new contents. */
const EDITABLE: readonly string[] = ['APPROVED', 'REJECTED', 'PAUSED'];

export const isEditable = ({ status, network_id }: TemplateRow): boolean =>
  network_id !== null && EDITABLE.includes(status);

/** Returns the id of the template at the network and its new contents. Throws VALIDATION_FAILED. */
export function toEdit(
  { status, network_id, category: present, parameter_format: format }: TemplateRow,
  { category, components }: TemplateUpdate,
): { networkId: string; contents: Pick<TemplateUpdate, 'category' | 'components'> } {
  if (network_id === null)
    throw invalid('name', 'is the name of a template without an id at the network; it can only be changed there');
  if (!EDITABLE.includes(status))
    throw invalid(
      'name',
      `is the name of a template that is ${status}; it can be changed when it is ${EDITABLE.join(', ')}`,
    );
  const isMoved = category !== undefined && category !== present;
  if (isMoved && status === 'APPROVED') throw invalid('category', 'cannot be changed while the template is APPROVED');
  checkComponents(components, { format, category: category ?? present, path: 'components' });
  return { networkId: network_id, contents: { components, ...(isMoved && { category }) } };
}

const isName = (variable: string): boolean => !/^\d+$/.test(variable);

const textsIn = ({ text, cards = [] }: Component): string[] => [
  ...(text === undefined ? [] : [text]),
  ...cards.flatMap((card) => card.components.flatMap((component) => component.text ?? [])),
];

interface Surroundings {
  format: TemplateDraft['parameterFormat'];
  category: string;
  path: string;
  isCard?: true;
}

function checkComponents(components: readonly Component[], around: Surroundings): void {
  const seen = new Set<string>();
  for (const [place, component] of components.entries()) {
    const path = `${around.path}[${place}]`;
    if (seen.has(component.type)) throw invalid(`${path}.type`, 'is also the type of another component');
    seen.add(component.type);
    checkProperties(component, path);
    CHECKS[component.type](component, { ...around, path });
  }
  if (!around.isCard && !seen.has('BODY')) throw invalid(around.path, 'must have a component of type BODY', 'REQUIRED');
}

/** The properties that a component of each type can have. */
const PROPERTIES: Record<Component['type'], readonly (keyof Component)[]> = {
  HEADER: ['format', 'text', 'example'],
  BODY: ['text', 'example', 'add_security_recommendation'],
  FOOTER: ['text', 'code_expiration_minutes'],
  BUTTONS: ['buttons'],
  CAROUSEL: ['cards'],
  LIMITED_TIME_OFFER: ['limited_time_offer'],
};

function checkProperties(component: Component, path: string): void {
  const allowed: readonly string[] = ['type', ...PROPERTIES[component.type]];
  const stray = Object.keys(component).find((name) => !allowed.includes(name));
  if (stray !== undefined) throw invalid(`${path}.${stray}`, `is not allowed in a component of type ${component.type}`);
}

type Check = (component: Component, around: Surroundings) => void;

// The network's limits for the texts of a template.
const MAX_LINE = declareLimit(60, {
  topic: 'Campaigns',
  what: 'Template: header and footer when it is submitted',
  unit: 'characters',
  beyond: '400',
});

const CHECKS: Record<Component['type'], Check> = {
  HEADER: ({ format, text, example }, { path, format: variables }) => {
    if (format === undefined) throw invalid(`${path}.format`, 'is required', 'REQUIRED');
    if (format !== 'TEXT') {
      if (text !== undefined) throw invalid(`${path}.text`, `is not allowed in a header of format ${format}`);
      return;
    }
    if (text === undefined) throw invalid(`${path}.text`, 'is required', 'REQUIRED');
    checkLine(text, path);
    const names = checkVariables(text, { path: `${path}.text`, format: variables });
    if (names.length > 1) throw invalid(`${path}.text`, 'must have at most one variable');
    checkExample(names, example, { path, key: 'header_text' });
  },
  BODY: ({ text, example, add_security_recommendation }, { path, format, category }) => {
    if (category === 'AUTHENTICATION') {
      if (text !== undefined) throw invalid(`${path}.text`, 'is written by the network in the category AUTHENTICATION');
      return;
    }
    if (add_security_recommendation !== undefined)
      throw invalid(`${path}.add_security_recommendation`, 'is only for the category AUTHENTICATION');
    if (text === undefined) throw invalid(`${path}.text`, 'is required', 'REQUIRED');
    const names = checkVariables(text, { path: `${path}.text`, format });
    if (/^\s*\{\{[^}]*\}\}|\{\{[^}]*\}\}\s*$/.test(text))
      throw invalid(`${path}.text`, 'must not start or end with a variable');
    checkExample(names, example, { path, key: 'body_text' });
  },
  FOOTER: ({ text, code_expiration_minutes }, { path }) => {
    if (text === undefined && code_expiration_minutes === undefined)
      throw invalid(`${path}.text`, 'is required', 'REQUIRED');
    if (text === undefined) return;
    checkLine(text, path);
    if (text.includes('{{')) throw invalid(`${path}.text`, 'must have no variables');
  },
  BUTTONS: ({ buttons }, { path }) => {
    if (!buttons) throw invalid(`${path}.buttons`, 'is required', 'REQUIRED');
    for (const [place, button] of buttons.entries()) checkButton(button, `${path}.buttons[${place}]`);
  },
  CAROUSEL: ({ cards }, { path, ...around }) => {
    if (!cards) throw invalid(`${path}.cards`, 'is required', 'REQUIRED');
    for (const [place, { components }] of cards.entries())
      checkComponents(components, { ...around, path: `${path}.cards[${place}].components`, isCard: true });
  },
  LIMITED_TIME_OFFER: ({ limited_time_offer }, { path }) => {
    if (!limited_time_offer) throw invalid(`${path}.limited_time_offer`, 'is required', 'REQUIRED');
  },
};

function checkLine(text: string, path: string): void {
  if (Array.from(text).length > MAX_LINE)
    throw invalid(`${path}.text`, `is longer than ${MAX_LINE} characters`, 'MAX_LENGTH');
}

/** Returns the variables of a text. */
function checkVariables(text: string, { path, format }: { path: string; format: Surroundings['format'] }): string[] {
  const names = listVariables(text);
  // Text in braces that is no variable would be sent to the contact unchanged.
  if (text.replaceAll(/\{\{\s*\w+\s*\}\}/g, '').includes('{{'))
    throw invalid(path, 'has braces {{…}} with something other than a number or a name');
  if (format === 'NAMED') {
    const wrong = names.find((name) => !/^[a-z][a-z0-9_]*$/.test(name));
    if (wrong !== undefined)
      throw invalid(path, `has the variable {{${wrong}}}, which is not a name in lowercase letters`);
    return names;
  }
  const wrong = names.find((name, place) => name !== String(place + 1));
  if (wrong !== undefined)
    throw invalid(path, `must number its variables from {{1}} without a gap; it has {{${wrong}}}`);
  return names;
}

/** The network reviews a template with variables only with an example of each. */
function checkExample(
  names: string[],
  example: unknown,
  { path, key }: { path: string; key: 'header_text' | 'body_text' },
): void {
  if (names.length === 0) return;
  const isNamed = names.some(isName);
  const property = isNamed ? `${key}_named_params` : key;
  const given = getOwnProperty(
    (typeof example === 'object' && example !== null ? example : {}) as Record<string, unknown>,
    property,
  );
  const listed = Array.isArray(given) ? (isNamed || key === 'header_text' ? given : [given].flat(2)) : [];
  if (listed.length !== names.length)
    throw invalid(`${path}.example.${property}`, `must have an example of each of its ${names.length} variables`);
}

/** The required properties of a button of each type. */
const NEEDS: Partial<Record<Button['type'], readonly (keyof Button)[]>> = {
  QUICK_REPLY: ['text'],
  URL: ['text', 'url'],
  PHONE_NUMBER: ['text', 'phone_number'],
  COPY_CODE: ['example'],
  OTP: ['otp_type'],
  FLOW: ['text'],
  CATALOG: ['text'],
};

function checkButton(button: Button, path: string): void {
  const missing = NEEDS[button.type]?.find((name) => button[name] === undefined);
  if (missing !== undefined) throw invalid(`${path}.${missing}`, 'is required', 'REQUIRED');
  if (button.type !== 'URL' || button.url === undefined) return;
  if (!/^https?:\/\/[^/{}]+/.test(button.url)) throw invalid(`${path}.url`, 'must start with https:// and a host');
  const variables = [...button.url.matchAll(/\{\{[^}]*\}\}/g)];
  if (variables.length > 1 || (variables.length === 1 && !/\{\{\s*1\s*\}\}$/.test(button.url)))
    throw invalid(`${path}.url`, 'can have one variable, {{1}}, at its end');
  if (variables.length === 1 && button.example === undefined)
    throw invalid(`${path}.example`, 'is required: an example of the variable', 'REQUIRED');
}
