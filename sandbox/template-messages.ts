import type { Account } from './accounts.ts';
import { toObject, toText, type Json } from './exchange.ts';
import type { GraphFailure } from './graph-errors.ts';
import type { Sandbox } from './state.ts';
import { checkComponents, findPlaceholders } from './template-rules.ts';
import { findTemplate, type Catalogue } from './templates.ts';

/** Checks a template message against the catalogue: the template exists and is approved, and each parameter is given and valid. */
export function checkTemplateMessage(
  sandbox: Sandbox,
  account: Pick<Account, 'waba_id'>,
  body: Json,
): GraphFailure | undefined {
  if (body['type'] !== 'template') return undefined;
  const message = toObject(body['template']);
  const name = toText(message['name']);
  const code = toText(toObject(message['language'])['code']);
  if (!name) return { code: 131008, details: "Required parameter is missing: template['name']." };
  if (!code) return { code: 131008, details: "Required parameter is missing: template['language']['code']." };
  const template = findTemplate(sandbox.graph.catalogue, account, message);
  if (template?.status === 'PAUSED') return { code: 132015, details: `The template ${name} is paused.` };
  if (template?.status === 'DISABLED') return { code: 132016, details: `The template ${name} is disabled.` };
  if (template?.status !== 'APPROVED') {
    return { code: 132001, details: `template name (${name}) does not exist in ${code}` };
  }
  return checkComponents(sandbox, template, message['components']);
}

/** The template with its parameters filled in, as the phone page shows it. */
export function renderTemplate(catalogue: Catalogue, account: Account, message: Json): Json {
  const components = Array.isArray(message['components']) ? message['components'].map(toObject) : [];
  const rendered = new Map<string, unknown>();
  for (const part of findTemplate(catalogue, account, message)?.components ?? []) {
    const type = String(part['type']).toLowerCase();
    const given = components.find((component) => String(component['type']).toLowerCase() === type);
    const parameters = Array.isArray(given?.['parameters']) ? given['parameters'].map(toObject) : [];
    if (type === 'buttons') rendered.set('buttons', addPayloads(part['buttons'], components));
    else if (typeof part['text'] === 'string') rendered.set(type, fillIn(part['text'], parameters));
    else if (parameters[0] !== undefined) rendered.set('header_media', parameters[0]);
  }
  return Object.fromEntries(rendered);
}

/** Gives each button the payload that its callback has when somebody taps it: the one of the message, else the button's text. */
function addPayloads(buttons: unknown, components: Json[]): Json[] {
  return (Array.isArray(buttons) ? buttons.map(toObject) : []).map((button, index) => {
    const given = components.find(
      (component) => toText(component['sub_type']) !== undefined && Number(component['index']) === index,
    );
    const [parameter] = Array.isArray(given?.['parameters']) ? given['parameters'].map(toObject) : [];
    return { ...button, payload: toText(parameter?.['payload']) ?? button['text'] };
  });
}

function fillIn(text: string, parameters: Json[]): string {
  const names = findPlaceholders(text);
  const values = names.map((name, index) => {
    const found = parameters.find((parameter) => parameter['parameter_name'] === name) ?? parameters[index] ?? {};
    const fallback = toObject(found['currency'])['fallback_value'] ?? toObject(found['date_time'])['fallback_value'];
    return toText(found['text']) ?? toText(fallback) ?? '';
  });
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => values[names.indexOf(name)] ?? '');
}
