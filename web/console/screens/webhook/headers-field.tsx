/** The headers that go with each delivery. Their values are secrets, so they are hidden until somebody wants to see them. */
import { useState, type ReactElement } from 'react';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import { COMMON } from '../../ui/texts.ts';
import { findRepeated, newLine, type HeaderLine } from './headers.ts';
import { WEBHOOK } from './texts.ts';
import styles from './webhook.module.css';

interface HeadersFieldProps {
  lines: readonly HeaderLine[];
  onChange(lines: HeaderLine[]): void;
  error: unknown;
}

export function HeadersField({ lines, onChange, error }: HeadersFieldProps): ReactElement {
  const texts = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const [isShown, show] = useState(false);
  const repeated = findRepeated(lines);
  const change = (key: number, next: Partial<HeaderLine>): void =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...next } : line)));
  const explain = (name: string): string | null =>
    name.trim().toLowerCase() === repeated ? texts.repeated : explainField(error, `custom_headers.${name.trim()}`);
  return (
    <fieldset className={styles['group']}>
      <legend>{texts.headers}</legend>
      <p className={styles['hint']}>{texts.headersHint}</p>
      {lines.map(({ key, name, value }) => (
        <div key={key} className={styles['header']}>
          <TextField
            label={texts.headerName}
            value={name}
            autoComplete="off"
            onChange={(next) => change(key, { name: next })}
            error={explain(name)}
          />
          <TextField
            label={texts.headerValue}
            type={isShown ? 'text' : 'password'}
            autoComplete="new-password"
            value={value}
            onChange={(next) => change(key, { value: next })}
          />
          <IconButton
            icon="remove"
            label={`${common.remove}: ${name}`}
            onClick={() => onChange(lines.filter((line) => line.key !== key))}
          />
        </div>
      ))}
      {lines.length > 0 && <CheckField label={texts.showValues} checked={isShown} onChange={show} />}
      <div>
        <Button icon="plus" onClick={() => onChange([...lines, newLine()])}>
          {texts.addHeader}
        </Button>
      </div>
    </fieldset>
  );
}
