/** Chooses between a reply, which the contact reads, and a note, which only the team reads. */
import { Tabs } from '@base-ui/react/tabs';
import type { ReactElement, ReactNode } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { returnToComposer } from '../../../frame/writing.ts';
import styles from './composer.module.css';
import type { Writing } from './drafts.ts';
import { THREAD } from './texts.ts';

interface WritingTabsProps {
  writing: Writing;
  /** What holds a text, a file or a quote that was not sent. It is marked while the other one is open. */
  begun: Readonly<Record<Writing, boolean>>;
  onChoose(writing: Writing): void;
  /** Shown next to the tabs. */
  beside: ReactNode;
  /** What is written, below the tabs. */
  children: ReactNode;
}

export function WritingTabs({ writing, begun, onChoose, beside, children }: WritingTabsProps): ReactElement {
  const texts = useTexts(THREAD);
  return (
    <Tabs.Root value={writing} onValueChange={(chosen) => onChoose(chosen as Writing)}>
      <div className={styles['head']}>
        <Tabs.List className={styles['tabs']} aria-label={texts.writing}>
          {(['REPLY', 'NOTE'] as const).map((each) => (
            <Tabs.Tab key={each} value={each} className={styles['tab']} onClick={returnToComposer}>
              {each === 'NOTE' ? texts.note : texts.reply}
              {begun[each] && each !== writing && (
                <span className={styles['begun']} role="img" aria-label={texts.draft} title={texts.draft} />
              )}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {beside}
      </div>
      <Tabs.Panel value={writing} tabIndex={-1} className={styles['panel']}>
        {children}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
