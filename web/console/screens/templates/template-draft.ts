/** A template as its form holds it, and as the network wants it. */
import type { Template, TemplateCreate } from '@parley/sdk';
import type { PreviewedTemplate } from '../../ui/templates/phone-preview.tsx';

export interface TemplateForm {
  name: string;
  language: string;
  category: 'MARKETING' | 'UTILITY';
  header: string;
  body: string;
  footer: string;
  /** The labels of the buttons, one in each line. */
  buttons: string;
  /** The example of each variable, by its name in the form: `header 1`, `body first_name`. */
  examples: ReadonlyMap<string, string>;
}

type Component = TemplateCreate['components'][number];

export interface Variable {
  part: 'header' | 'body';
  name: string;
}

export const keyOf = ({ part, name }: Variable): string => `${part} ${name}`;

/** Returns the variables of the texts, each once, in their order. */
export function listVariables({ header, body }: TemplateForm): Variable[] {
  const listIn = (part: Variable['part'], text: string): Variable[] =>
    [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name))].map((name) => ({
      part,
      name,
    }));
  return [...listIn('header', header), ...listIn('body', body)];
}

type StoredComponent = Template['components'][number];

const readButtons = (buttons: StoredComponent | undefined): StoredComponent[] =>
  Array.isArray(buttons?.['buttons']) ? (buttons['buttons'] as StoredComponent[]) : [];

/** True for a template of which the form has fields for everything. */
export const fitsForm = ({ category, components }: Template): boolean =>
  (category === 'MARKETING' || category === 'UTILITY') &&
  components.every((component) => {
    const { type, format = 'TEXT' } = component;
    if (type === 'BUTTONS') return readButtons(component).every((button) => button['type'] === 'QUICK_REPLY');
    return type === 'BODY' || type === 'FOOTER' || (type === 'HEADER' && format === 'TEXT');
  });

export const copyTemplate = (template: Template): TemplateForm => ({
  ...fillForm(template),
  name: `${template.name}_2`,
});

/** Fills the form from a template. What the form has no field for, such as a picture or a link, is left out. */
export function fillForm({ name, language, category, components, parameters }: Template): TemplateForm {
  const find = (type: string): StoredComponent | undefined =>
    components.find((component) => component['type'] === type);
  const read = (type: string): string => toText(find(type)?.['text']);
  const examples = parameters.flatMap(({ component, name: named, position, example }) => {
    const part = component === 'HEADER' ? ('header' as const) : component === 'BODY' && ('body' as const);
    return part && example !== null ? [[keyOf({ part, name: named ?? String(position) }), example] as const] : [];
  });
  return {
    name,
    language,
    category: category === 'MARKETING' ? 'MARKETING' : 'UTILITY',
    header: read('HEADER'),
    body: read('BODY'),
    footer: read('FOOTER'),
    buttons: readButtons(find('BUTTONS'))
      .filter(({ type }) => type === 'QUICK_REPLY')
      .map(({ text }) => toText(text))
      .join('\n'),
    examples: new Map(examples),
  };
}

const toText = (text: unknown): string => (typeof text === 'string' ? text : '');

/** The form as a phone will show it. */
export const toPreview = (form: TemplateForm): PreviewedTemplate => ({
  components: toTemplate(form).components as unknown as PreviewedTemplate['components'],
  parameters: [],
});

const isNumber = (name: string): boolean => /^\d+$/.test(name);

export function toTemplate(form: TemplateForm): TemplateCreate {
  const { name, language, category, header, body, footer } = form;
  const labels = form.buttons
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const components: Component[] = [
    ...(header === '' ? [] : [{ type: 'HEADER', format: 'TEXT', text: header, ...toExample(form, 'header') } as const]),
    { type: 'BODY', text: body, ...toExample(form, 'body') },
    ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer } as const]),
    ...(labels.length === 0
      ? []
      : [{ type: 'BUTTONS', buttons: labels.map((text) => ({ type: 'QUICK_REPLY', text }) as const) } as const]),
  ];
  return { name, language, category, components };
}

/** The network reviews variables by an example of each. */
function toExample(form: TemplateForm, part: Variable['part']): Pick<Component, 'example'> {
  const variables = listVariables(form).filter((each) => each.part === part);
  if (variables.length === 0) return {};
  const values = variables.map((each) => form.examples.get(keyOf(each)) ?? '');
  if (variables.every(({ name }) => isNumber(name))) {
    return { example: { [`${part}_text`]: part === 'body' ? [values] : values } };
  }
  const named = variables.map(({ name }, place) => ({ param_name: name, example: values[place] }));
  return { example: { [`${part}_text_named_params`]: named } };
}
