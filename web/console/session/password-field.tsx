/** The field for the user's own password, which an act wants because an unattended browser must not be enough. */
import type { ReactElement } from 'react';
import { useTexts } from '../texts/texts.ts';
import { TextField } from '../ui/field.tsx';
import { explainField } from '../ui/problem.ts';
import { SECOND_FACTOR } from './second-factor/texts.ts';

interface PasswordFieldProps {
  value: string;
  /** The error of the act. */
  error: unknown;
  autoFocus?: boolean;
  onChange(password: string): void;
}

export function PasswordField({ error, ...field }: PasswordFieldProps): ReactElement {
  const texts = useTexts(SECOND_FACTOR);
  return (
    <TextField
      {...field}
      label={texts.password}
      type="password"
      autoComplete="current-password"
      error={explainField(error, 'password') && texts.wrongPassword}
      required
    />
  );
}
