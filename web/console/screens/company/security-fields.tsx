/** Whether everyone has to log in with a second factor. Only those who have one themselves decide it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { parley, toScreen } from '../../client.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { explainField } from '../../ui/problem.ts';
import { Failure, Loading } from '../../ui/state.tsx';
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

interface RequireDialogProps {
  save(): Promise<unknown>;
  onClose(): void;
}

/** Says how many people it takes away from their work before it is required. */
export function RequireDialog({ save, onClose }: RequireDialogProps): ReactElement {
  const texts = useTexts(COMPANY);
  const { data: count, error } = useQuery({
    queryKey: ['without-second-factor'],
    queryFn: ({ signal }) => countWithout(signal),
    staleTime: 0,
  });
  const meaning = count === 0 ? texts.noneWithoutIt : count !== undefined && texts.withoutIt(count);
  return (
    <ConfirmDialog
      title={texts.secondFactorRequired}
      lead={meaning || (error ? <Failure error={error} /> : <Loading />)}
      action={texts.require}
      act={save}
      onDone={onClose}
      onClose={onClose}
    />
  );
}

async function countWithout(signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { status, second_factor } of parley.users.list.all({}, { signal }))
    if (status === 'ACTIVE' && !second_factor) count += 1;
  return count;
}
