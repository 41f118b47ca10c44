/** A template as a phone shows it: its header, its text with the values that are known, its footer and its buttons. */
import type { Template } from '@parley/sdk';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { useTexts } from '../../texts/texts.ts';
import type { Option } from '../field.tsx';
import { Icon, type IconName } from '../icon.tsx';
import styles from './phone-preview.module.css';
import { COLUMN, keyOf, readText, type GivenValue, type GivenValues } from './template-values.ts';
import { useTemplateWords } from './template-words.ts';
import { TEMPLATE_FORMS } from './texts.ts';

export type PreviewedTemplate = Pick<Template, 'components' | 'parameters'>;
type Component = Readonly<Record<string, unknown>>;

interface PhonePreviewProps {
  template: PreviewedTemplate;
  /** What is given so far; a variable without a value is shown by its name. */
  values?: GivenValues;
  /** The names of the fields that values come from. */
  fields?: readonly Option[];
}

const NOTHING: GivenValues = new Map();
const ICONS: ReadonlyMap<unknown, IconName> = new Map([
  ['URL', 'link'],
  ['PHONE_NUMBER', 'handset'],
  ['VOICE_CALL', 'handset'],
  ['COPY_CODE', 'copy'],
  ['OTP', 'copy'],
  ['QUICK_REPLY', 'reply'],
] as const);

export function PhonePreview({ template, values = NOTHING, fields = [] }: PhonePreviewProps): ReactElement {
  const texts = useTexts(TEMPLATE_FORMS);
  const { components } = template;
  const write = (part: string, text: unknown): ReactElement | null =>
    typeof text === 'string' && text !== '' ? (
      <Written text={text} known={listKnown({ template, values, fields }, part)} />
    ) : null;
  const cards = readList(components.find(({ type }) => type === 'CAROUSEL')?.['cards']);
  return (
    <figure className={styles['phone']} aria-label={texts.preview}>
      <Bubble components={components} write={write} />
      {cards.length > 0 && (
        <div className={styles['cards']} tabIndex={0}>
          {cards.map((card, place) => (
            // The cards of a template stay in their order.
            <Bubble key={place} components={readList(card['components'])} write={write} />
          ))}
        </div>
      )}
    </figure>
  );
}

interface BubbleProps {
  components: readonly Component[];
  write(part: string, text: unknown): ReactElement | null;
}

function Bubble({ components, write }: BubbleProps): ReactElement {
  const find = (type: string): Component | undefined => components.find((each) => each['type'] === type);
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')];
  const buttons = readList(find('BUTTONS')?.['buttons']);
  return (
    <div className={styles['bubble']}>
      {header && <Header header={header} text={write('HEADER', header['text'])} />}
      {body && <p className={styles['text']}>{write('BODY', body['text'])}</p>}
      {typeof footer?.['text'] === 'string' && <p className={styles['footer']}>{footer['text']}</p>}
      {buttons.map(({ type, text }, place) => (
        // The buttons of a template stay in their order.
        <span key={place} className={styles['button']} dir="auto">
          <Icon name={ICONS.get(type) ?? 'template'} size={14} />
          {typeof text === 'string' ? text : String(type)}
        </span>
      ))}
    </div>
  );
}

function Header({ header: { format }, text }: { header: Component; text: ReactElement | null }): ReactElement {
  const translate = useTemplateWords();
  if (text) return <p className={styles['title']}>{text}</p>;
  return (
    <div className={styles['media']}>
      <Icon name={format === 'VIDEO' ? 'play' : format === 'LOCATION' ? 'place' : 'file'} />
      {typeof format === 'string' && translate(format)}
    </div>
  );
}

/** What replaces a variable: its value, or the name of the field that it comes from. */
type Filling = { text: string } | { name: string };

/** A text of a template. */
function Written({ text, known }: { text: string; known: ReadonlyMap<string, Filling> }): ReactElement {
  return (
    <bdi>
      {splitBy(/\*([^*\n]+)\*/, text).map(({ part, isMatch, place }) => {
        const filled = fillIn(part, known);
        return isMatch ? <strong key={place}>{filled}</strong> : <Fragment key={place}>{filled}</Fragment>;
      })}
    </bdi>
  );
}

const fillIn = (text: string, known: ReadonlyMap<string, Filling>): ReactNode[] =>
  splitBy(/\{\{\s*(\w+)\s*\}\}/, text).map(({ part, isMatch, place }) => {
    const filling = isMatch ? (known.get(part) ?? { name: part }) : { text: part };
    if ('text' in filling) return filling.text;
    return (
      <span key={place} className={styles['variable']}>
        {filling.name}
      </span>
    );
  });

/** Splits a text into what the group of a pattern matches and what is between. */
const splitBy = (pattern: RegExp, text: string): { part: string; isMatch: boolean; place: number }[] =>
  text.split(pattern).map((part, place) => ({ part, isMatch: place % 2 === 1, place }));

/** Returns what is known for a part of the template, by the names of its variables. */
function listKnown(
  { template, values, fields }: Required<PhonePreviewProps>,
  part: string,
): ReadonlyMap<string, Filling> {
  const given = template.parameters
    .filter(({ component, card }) => component === part && card === null)
    .map((parameter) => [parameter.name ?? String(parameter.position), values.get(keyOf(parameter))] as const);
  return new Map(given.flatMap(([name, value]) => (value && hasText(value) ? [[name, fill(value, fields)]] : [])));
}

const hasText = (value: GivenValue): boolean => 'field' in value || readText(value) !== '';

const fill = (value: GivenValue, fields: readonly Option[]): Filling =>
  'field' in value
    ? { name: fields.find((each) => each.value === value.field)?.label ?? value.field.replace(COLUMN, '') }
    : { text: readText(value) };

const readList = (list: unknown): readonly Component[] => (Array.isArray(list) ? (list as Component[]) : []);
