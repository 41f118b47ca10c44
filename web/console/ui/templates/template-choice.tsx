/** Chooses one of the templates of an inbox that can be sent. */
import type { Template } from '@parley/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useTexts } from '../../texts/texts.ts';
import { TextField } from '../field.tsx';
import { Empty, Failure, Loading } from '../state.tsx';
import { canBeGiven, writeOut } from './template-values.ts';
import styles from './templates.module.css';
import { TEMPLATE_FORMS } from './texts.ts';

/** More templates than these are found by their name. */
const MOST = 100;

/** Reads the templates of an inbox, of which the network has not approved all. */
const useTemplates = <T,>(inbox: string, select: (all: readonly Template[]) => T): UseQueryResult<T> =>
  useQuery({
    queryKey: ['templates-to-choose', inbox],
    queryFn: async ({ signal }): Promise<readonly Template[]> =>
      (await parley.templates.list(inbox, { limit: MOST, skipCount: true }, { signal })).result,
    select,
  });

/** Reads the templates of an inbox that the network has approved. */
export const useApprovedTemplates = (inbox: string): UseQueryResult<readonly Template[]> =>
  useTemplates(inbox, selectApproved);

const selectApproved = (all: readonly Template[]): readonly Template[] =>
  all.filter(({ status }) => status === 'APPROVED');

const selectAll = (all: readonly Template[]): readonly Template[] => all;

/** Says how many templates are missing from the choice, and why. */
function NotShown({ inbox }: { inbox: string }): ReactElement | null {
  const texts = useTexts(TEMPLATE_FORMS);
  const { data: all = [] } = useTemplates(inbox, selectAll);
  const count = (wanted: Template['status']): number => all.filter(({ status }) => status === wanted).length;
  const [inReview, paused] = [count('PENDING'), count('PAUSED')];
  return inReview + paused === 0 ? null : <p className={styles['missing']}>{texts.notShown(inReview, paused)}</p>;
}

interface TemplateChoiceProps {
  inbox: string;
  onChoose(template: Template): void;
}

export function TemplateChoice({ inbox, onChoose }: TemplateChoiceProps): ReactElement {
  const texts = useTexts(TEMPLATE_FORMS);
  const [search, setSearch] = useState('');
  const { data: templates, error } = useApprovedTemplates(inbox);
  if (error) return <Failure error={error} />;
  if (!templates) return <Loading />;
  const wanted = search.trim().toLowerCase();
  const shown = templates.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <TextField label={texts.search} type="search" value={search} onChange={setSearch} />
      {shown.length === 0 && <Empty icon="template" title={texts.nothing} />}
      <ul className={styles['list']}>
        {shown.map((template) => (
          <li key={template._id}>
            <button
              type="button"
              className={styles['template']}
              disabled={!canBeGiven(template)}
              onClick={() => onChoose(template)}
            >
              <strong>
                {template.name} · {template.language}
              </strong>
              <span className={styles['body']}>
                {canBeGiven(template) ? writeOut(template, new Map()) : texts.notHere}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <NotShown inbox={inbox} />
    </>
  );
}
