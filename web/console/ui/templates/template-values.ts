/** The values of a template: which ones a person gives here, what the contact will read, and the form in which they are sent. */
import type { GivenTemplate, Template, TemplateComponent, TemplateParameter } from '@parley/sdk';

/**
 * What was given for a parameter: a text, the id of an attachment and its name, or the field of each contact that has the value. `otherwise` is
 * sent to contacts without a value; "" sends them nothing.
 */
export type GivenValue = { text: string } | { attachment: string; name: string } | { field: string; otherwise: string };
export type GivenValues = ReadonlyMap<string, GivenValue>;

type ParameterType = TemplateParameter['type'];
const TEXTS: readonly ParameterType[] = ['TEXT', 'URL_SUFFIX', 'COUPON_CODE'];
const FILES: readonly ParameterType[] = ['IMAGE', 'VIDEO', 'DOCUMENT'];

export const keyOf = ({ component, index, position }: TemplateParameter): string =>
  `${component} ${index ?? ''} ${position}`;
export const isFile = ({ type }: TemplateParameter): boolean => FILES.includes(type);

export const isSameTemplate = (
  a: Pick<GivenTemplate, 'name' | 'language'>,
  b: Pick<GivenTemplate, 'name' | 'language'>,
): boolean => a.name === b.name && a.language === b.language;

/** The parameters that have to be given. */
export const listAsked = (template: Template): TemplateParameter[] =>
  template.parameters.filter(({ required }) => required);

/** True when every value that the template needs is a text or a file, outside of the cards of a carousel. */
export const canBeGiven = (template: Template): boolean =>
  template.unsupported === null &&
  listAsked(template).every(({ type, card }) => card === null && (TEXTS.includes(type) || FILES.includes(type)));

/** What the name of a sheet's column begins with. */
export const COLUMN = 'column.';

function isGiven(value: GivenValue): boolean {
  if ('text' in value) return value.text.trim() !== '';
  return !('field' in value) || value.field.trim() !== COLUMN;
}

/** True when every parameter has a value. */
export const isWhole = (template: Template, values: GivenValues): boolean =>
  listAsked(template).every((parameter) => {
    const value = values.get(keyOf(parameter));
    return value !== undefined && isGiven(value);
  });

/** Writes out the body as the contact will read it. A value that is missing stays a variable. */
export function writeOut({ components, parameters }: Template, values: GivenValues): string {
  const body = components.find(({ type }) => type === 'BODY')?.['text'];
  if (typeof body !== 'string') return '';
  const inBody = parameters.filter(({ component }) => component === 'BODY');
  const texts = new Map(
    inBody.map((parameter) => [parameter.name ?? String(parameter.position), readText(values.get(keyOf(parameter)))]),
  );
  return body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => texts.get(name) || whole);
}

export const readText = (value: GivenValue | undefined): string => (value && 'text' in value ? value.text : '');

/** The parameters that have to be given, by the component that they stand in. */
const groupAsked = (template: Template): TemplateParameter[][] => [
  ...Map.groupBy(listAsked(template), ({ component, index }) => `${component} ${index ?? ''}`).values(),
];

/** The component of parameters as the API names it. */
const nameComponent = ({ component, index }: TemplateParameter): Pick<TemplateComponent, 'type' | 'index'> => ({
  type: component.toLowerCase() as NonNullable<TemplateComponent['type']>,
  ...(index === null ? {} : { index }),
});

/** Groups the values by their component, as the API takes them. */
export const toComponents = (template: Template, values: GivenValues): TemplateComponent[] =>
  groupAsked(template).flatMap((group) => {
    const [first] = group;
    const parameters = group.map((parameter) => toParameter(parameter, values.get(keyOf(parameter))));
    return first ? { ...nameComponent(first), parameters } : [];
  });

type GivenParameter = TemplateComponent['parameters'][number];

function toParameter({ type, name }: TemplateParameter, value: GivenValue | undefined): GivenParameter {
  if (value && 'attachment' in value) {
    if (type === 'IMAGE') return { image: { id: value.attachment } };
    if (type === 'VIDEO') return { video: { id: value.attachment } };
    return { document: { id: value.attachment, filename: value.name } };
  }
  const variable = value && 'field' in value ? { variable_ref: value.field } : {};
  const text = value && 'field' in value ? value.otherwise.trim() || undefined : readText(value);
  if (type !== 'TEXT') return { ...variable, value: text };
  return name === null ? { ...variable, text } : { ...variable, text, parameter_name: name };
}

/** Reads values back out of the components that toComponents() has written. */
export function readComponents(template: Template, components: readonly TemplateComponent[]): GivenValues {
  const entries = groupAsked(template).flatMap((group) =>
    group.flatMap((parameter, place) => {
      const { type, index } = nameComponent(parameter);
      const found = components.find((each) => (each.type ?? 'body') === type && each.index === index);
      const value = readParameter(found?.parameters[place]);
      return value ? [[keyOf(parameter), value] as const] : [];
    }),
  );
  return new Map(entries);
}

function readParameter(given: GivenParameter | undefined): GivenValue | null {
  if (!given) return null;
  const { variable_ref, text, value, image, video, document } = given;
  const plain = String(text ?? value ?? '');
  if (variable_ref !== undefined) return { field: variable_ref, otherwise: plain };
  const attachment = (image ?? video ?? document)?.id;
  return attachment === undefined ? { text: plain } : { attachment, name: document?.filename ?? attachment };
}
