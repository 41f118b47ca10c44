import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useSurveys } from '../../../records/csat-surveys.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Stars } from '../../../ui/stars.tsx';
import styles from './message.module.css';
import { THREAD } from './texts.ts';

/** How the contact answered the satisfaction survey that this message is. */
export function SurveyAnswer({ message }: { message: Message }): ReactElement | null {
  const texts = useTexts(THREAD);
  const survey = useSurveys(message.conversation).items.find((each) => each.message === message._id);
  if (!survey) return null;
  const { score, comment } = survey;
  return (
    <p className={styles['answer']}>
      {score === null ? texts.notRated : <Stars score={score} />}
      {comment !== null && <q dir="auto">{comment}</q>}
    </p>
  );
}
