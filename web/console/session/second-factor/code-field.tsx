/** The field for a code of an authenticator app. Browsers and phones offer to fill it. */
import type { ReactElement } from 'react';
import { TextField } from '../../ui/field.tsx';

interface CodeFieldProps {
  label: string;
  hint: string;
  value: string;
  error: string | null;
  /** A recovery code may be given as well, so a phone shows all of its keyboard. */
  takesRecovery?: boolean;
  autoFocus?: boolean;
  onChange(code: string): void;
}

export function CodeField({ takesRecovery = false, ...field }: CodeFieldProps): ReactElement {
  return (
    <TextField
      {...field}
      autoComplete="one-time-code"
      autoCapitalize="none"
      inputMode={takesRecovery ? 'text' : 'numeric'}
      spellCheck={false}
      maxLength={40}
      required
    />
  );
}
