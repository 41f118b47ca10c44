/** Which second factor a log-in asks for. */
import { isParleyError } from '@parley/sdk';

export type Factor = 'code' | 'passkey';

/** The factors that the person can give, after the right password; none for any other error, such as a wrong code. */
export function listFactors(error: unknown): Factor[] {
  if (!asksForFactor(error) || !isParleyError(error)) return [];
  const asked = (error.problem?.errors ?? []).filter(({ code }) => code === 'REQUIRED').map(({ path }) => path);
  return (['code', 'passkey'] as const).filter((factor) => asked.includes(factor));
}

export const asksForFactor = (error: unknown): boolean =>
  isParleyError(error) && error.code === 'SECOND_FACTOR_REQUIRED';
