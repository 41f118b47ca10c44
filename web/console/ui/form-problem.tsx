/** Why a form could not be sent, unless one of its fields says it already. */
import { isParleyError } from '@parley/sdk';
import type { ReactElement } from 'react';
import styles from './field.module.css';
import { explainError, explainField } from './problem.ts';

interface FormProblemProps {
  error: unknown;
  /** The fields that show their errors themselves, by their paths in the request. */
  fields: readonly string[];
}

export function FormProblem({ error, fields }: FormProblemProps): ReactElement | null {
  if (error === null || error === undefined) return null;
  const isShown = isParleyError(error) && fields.some((path) => explainField(error, path) !== null);
  return isShown ? null : (
    <p className={styles['problem']} role="alert">
      {explainError(error)}
    </p>
  );
}
