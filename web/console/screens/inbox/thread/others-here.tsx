/** Which colleagues view the conversation or type in it, shown where the user is about to write. */
import type { ReactElement } from 'react';
import { usePresent } from '../../../live/presence.ts';
import { useSession } from '../../../session/session.ts';
import { useTexts } from '../../../texts/texts.ts';
import styles from './composer.module.css';
import { THREAD } from './texts.ts';

export function OthersHere({ conversation }: { conversation: string }): ReactElement | null {
  const texts = useTexts(THREAD);
  const { user } = useSession();
  const others = usePresent(conversation).filter(({ by }) => by._id !== user._id);
  if (others.length === 0) return null;
  const words = others.map(({ by, state }) => (state === 'TYPING' ? texts.types(by.name) : texts.views(by.name)));
  return (
    <p className={styles['others']} role="status">
      {words.join(', ')}
    </p>
  );
}
