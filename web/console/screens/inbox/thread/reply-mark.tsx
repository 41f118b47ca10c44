/** Which message the next one answers. */
import type { Message } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useTexts } from '../../../texts/texts.ts';
import { IconButton } from '../../../ui/button.tsx';
import { usePreview } from '../../../ui/preview.tsx';
import { COMMON } from '../../../ui/texts.ts';
import styles from './composer.module.css';
import { THREAD } from './texts.ts';

export function ReplyMark({ message, onClose }: { message: Message; onClose(): void }): ReactElement {
  const texts = useTexts(THREAD);
  const common = useTexts(COMMON);
  return (
    <div className={styles['reply']}>
      <p className={styles['detail']}>
        {texts.answersTo}: <bdi>{usePreview(message)}</bdi>
      </p>
      <IconButton icon="close" label={common.cancel} onClick={onClose} />
    </div>
  );
}
