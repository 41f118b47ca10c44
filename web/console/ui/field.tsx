/** The fields of forms. Each has a visible label; what the platform says about a value stands below it. */
import {
  useId,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
} from 'react';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  /** Explains the field before anything is wrong. */
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** What ties the control of a field to its label, its hint and its error. */
interface ControlAbout {
  id: string;
  className: string | undefined;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

interface FrameProps extends FieldProps {
  children(about: ControlAbout): ReactNode;
}

function FieldFrame({ label, hint, error, children }: FrameProps): ReactElement {
  const id = useId();
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {children({ id, className: styles['input'], ...describe(id, { hint, error }) })}
      <Explanations id={id} hint={hint} error={error} />
    </div>
  );
}

type Explained = Pick<FieldProps, 'hint' | 'error'>;

const describe = (id: string, { hint, error }: Explained): Pick<ControlAbout, 'aria-describedby' | 'aria-invalid'> => ({
  'aria-describedby': [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].join(' ').trim(),
  'aria-invalid': Boolean(error),
});

function Explanations({ id, hint, error }: Explained & { id: string }): ReactElement {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className={styles['error']} role="alert">
        {error}
      </p>
    </>
  );
}

/** A text in a field: the properties of the browser's own control, with the text instead of its event. */
type TextProps<Native> = FieldProps &
  Omit<Native, 'className' | 'onChange' | 'value'> & {
    value: string;
    onChange(value: string): void;
  };

type TextFieldProps = TextProps<InputHTMLAttributes<HTMLInputElement>>;

export function TextField({ label, hint, error, onChange, ...native }: TextFieldProps): ReactElement {
  return (
    <FieldFrame {...{ label, hint, error }}>
      {(about) => <input dir="auto" {...native} {...about} onChange={({ target }) => onChange(target.value)} />}
    </FieldFrame>
  );
}

type TextAreaProps = TextProps<TextareaHTMLAttributes<HTMLTextAreaElement>> & { ref?: Ref<HTMLTextAreaElement> };

/** A text of several lines. */
export function TextArea({ label, hint, error, onChange, ...native }: TextAreaProps): ReactElement {
  return (
    <FieldFrame {...{ label, hint, error }}>
      {(about) => (
        <textarea rows={4} dir="auto" {...native} {...about} onChange={({ target }) => onChange(target.value)} />
      )}
    </FieldFrame>
  );
}

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  /** The heading of the options that it is listed with. */
  group?: string;
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  value: Value;
  options: readonly Option<NoInfer<Value>>[];
  onChange(value: NoInfer<Value>): void;
  disabled?: boolean;
}

/** A list of few values; the browser's own control works on every device. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>): ReactElement {
  const { label, hint, error, value, options, onChange, disabled } = props;
  return (
    <FieldFrame {...{ label, hint, error }}>
      {(about) => (
        <select {...about} value={value} disabled={disabled} onChange={({ target }) => onChange(target.value as Value)}>
          {[...Map.groupBy(options, ({ group }) => group)].map(([group, inGroup]) =>
            group === undefined ? (
              <Options key="" options={inGroup} />
            ) : (
              <optgroup key={group} label={group}>
                <Options options={inGroup} />
              </optgroup>
            ),
          )}
        </select>
      )}
    </FieldFrame>
  );
}

const Options = ({ options }: { options: readonly Option[] }): ReactElement[] =>
  options.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

interface CheckFieldProps extends FieldProps {
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}

export function CheckField({ label, hint, error, checked, onChange, disabled }: CheckFieldProps): ReactElement {
  const id = useId();
  return (
    <div className={styles['check']}>
      <input
        {...describe(id, { hint, error })}
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <Explanations id={id} hint={hint} error={error} />
    </div>
  );
}
