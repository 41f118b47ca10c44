/** Shows how the launcher and the chat will look. */
import type { ReactElement } from 'react';
import { chooseTextColor, readColor } from '../../../../browser/colors.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import { readLines, type WebDraft } from './draft.ts';
import styles from './preview.module.css';
import { WEB_CHAT } from './texts.ts';

export function Preview({ draft, name }: { draft: WebDraft; name: string }): ReactElement {
  const texts = useTexts(WEB_CHAT);
  const background = readColor(draft.color);
  const brand = { background, color: chooseTextColor(background) };
  const [reply] = readLines(draft.replies);
  return (
    <figure className={styles['preview']} data-position={draft.position} aria-label={texts.preview}>
      <div className={styles['panel']}>
        <p className={styles['head']} style={brand} dir="auto">
          {draft.title?.trim() || name}
        </p>
        <div className={styles['body']}>
          {draft.welcome_text?.trim() && (
            <p className={styles['theirs']} dir="auto">
              {draft.welcome_text.trim()}
            </p>
          )}
          {reply !== undefined && (
            <p className={styles['mine']} style={brand} dir="auto">
              {reply}
            </p>
          )}
          <p className={styles['theirs']}>{texts.sampleAnswer}</p>
        </div>
      </div>
      <span className={styles['launcher']} style={brand}>
        <Icon name="channel" size={24} />
      </span>
    </figure>
  );
}
