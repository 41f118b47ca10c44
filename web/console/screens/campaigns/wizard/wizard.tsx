/** A draft, page by page: what it is, whom it is for, what it says, when it leaves, and the check before it starts. */
import type { Campaign } from '@parley/sdk';
import { useRef, type ReactElement } from 'react';
import { useSearchParams } from 'wouter';
import { useTexts } from '../../../texts/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-problem.tsx';
import { Card, Page } from '../../../ui/page.tsx';
import { COMMON } from '../../../ui/texts.ts';
import { CampaignActions } from '../report/campaign-actions.tsx';
import { StatusBadge } from '../status.tsx';
import { AudiencePart } from './audience-part.tsx';
import { BasicsPart } from './basics-part.tsx';
import { CheckPart } from './check-part.tsx';
import { useKeptDraft, type KeptDraft } from './kept-draft.ts';
import { MessagesPart } from './messages-part.tsx';
import { PARTS, type Part, type PartProps } from './parts.ts';
import { MOST_STEPS } from './steps.ts';
import { SchedulePart } from './schedule-part.tsx';
import { WIZARD } from './texts.ts';
import styles from './wizard.module.css';

/** Fields that show their own errors, by the part that has them. */
const FIELDS: Record<Part, readonly string[]> = {
  basics: ['name', 'description', 'inbox', 'owner', 'agent'],
  audience: ['audience.tags'],
  messages: Array.from({ length: MOST_STEPS }, (_, index) => `steps[${index}]`),
  schedule: ['scheduled_at', 'time_zone', 'sending_hours', 'messages_per_minute', 'error_threshold'],
  check: [],
};

export function Wizard({ campaign }: { campaign: Campaign }): ReactElement {
  const texts = useTexts(WIZARD);
  const [params, setParams] = useSearchParams();
  const part = PARTS.find((each) => each === params.get('part')) ?? 'basics';
  const kept = useKeptDraft(campaign);
  const heading = useRef<HTMLDivElement>(null);
  // What was refused stays in sight: its page is left when it is mended.
  const open = async (next: Part): Promise<void> => {
    if (!(await kept.save())) return;
    setParams({ part: next });
    heading.current?.focus();
  };
  const shown = { ...campaign, ...kept.unsaved } as Campaign;
  return (
    <Page
      title={campaign.name}
      lead={
        <>
          <StatusBadge {...campaign} /> <SavedState kept={kept} />
        </>
      }
      back="/"
      actions={<CampaignActions campaign={campaign} />}
    >
      <PartList part={part} onOpen={(next) => void open(next)} />
      <div ref={heading} tabIndex={-1} role="group" aria-label={texts[part]} className={styles['part']}>
        <Card title={texts[part]}>
          <FormProblem error={kept.error} fields={FIELDS[part]} />
          <PartFields part={part} stored={campaign} shown={shown} kept={kept} onOpen={(next) => void open(next)} />
          <Steps part={part} onOpen={(next) => void open(next)} />
        </Card>
      </div>
    </Page>
  );
}

function SavedState({ kept }: { kept: KeptDraft }): ReactElement {
  const texts = useTexts(WIZARD);
  const isStored = Object.keys(kept.unsaved).length === 0;
  return <span role="status">{kept.error ? texts.notStored : isStored ? texts.stored : texts.storing}</span>;
}

interface OpenProps {
  part: Part;
  onOpen(part: Part): void;
}

function PartList({ part, onOpen }: OpenProps): ReactElement {
  const texts = useTexts(WIZARD);
  return (
    <nav aria-label={texts.parts}>
      <ol className={styles['parts']}>
        {PARTS.map((each, index) => (
          <li key={each}>
            <button
              type="button"
              className={styles['open']}
              aria-current={each === part ? 'step' : undefined}
              onClick={() => onOpen(each)}
            >
              <span className={styles['number']} aria-hidden="true">
                {index + 1}
              </span>
              {texts[each]}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function PartFields({ part, ...props }: PartProps & { part: Part }): ReactElement {
  switch (part) {
    case 'basics':
      return <BasicsPart {...props} />;
    case 'audience':
      return <AudiencePart {...props} />;
    case 'messages':
      return <MessagesPart {...props} />;
    case 'schedule':
      return <SchedulePart {...props} />;
    case 'check':
      return <CheckPart {...props} />;
  }
}

function Steps({ part, onOpen }: OpenProps): ReactElement {
  const texts = useTexts(WIZARD);
  const common = useTexts(COMMON);
  const at = PARTS.indexOf(part);
  const [before, after] = [PARTS[at - 1], PARTS[at + 1]];
  return (
    <div className={styles['buttons']}>
      <span>{before && <Button onClick={() => onOpen(before)}>{common.back}</Button>}</span>
      {after && (
        <Button kind="primary" onClick={() => onOpen(after)}>
          {texts.next}
        </Button>
      )}
    </div>
  );
}
