/** Whether everyone has to log in with a second factor. Only those who have one themselves decide it. */
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { toScreen } from '../../client.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { CheckField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import type { FieldsProps } from './region-fields.tsx';
import { COMPANY } from './texts.ts';

export function SecurityFields({ draft, error, change }: FieldsProps): ReactElement {
  const texts = useTexts(COMPANY);
  const { user } = useSession();
  return (
    <>
      <CheckField
        label={texts.secondFactorRequired}
        hint={texts.secondFactorHint}
        checked={draft.second_factor_required}
        disabled={!user.second_factor}
        onChange={(second_factor_required) => change({ second_factor_required })}
        error={explainField(error, 'second_factor_required')}
      />
      {!user.second_factor && (
        <p>
          {texts.ownFirst} <Link href={toScreen('/profile')}>{texts.toProfile}</Link>
        </p>
      )}
    </>
  );
}
