/** Finds messages of one conversation. A hit opens the conversation at the message. */
import { useState, type ReactElement } from 'react';
import { endAskedDialog } from '../../../frame/conversation-dialogs.ts';
import { findReturn } from '../../../frame/writing.ts';
import { useMessageHits } from '../../../records/messages.ts';
import { useTexts } from '../../../texts/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { MessageHits } from '../message-hits.tsx';
import { DIALOGS } from './dialog-texts.ts';
import styles from './search-dialog.module.css';

export function SearchDialog({ conversation, view }: { conversation: string; view: string }): ReactElement {
  const texts = useTexts(DIALOGS);
  const [search, setSearch] = useState('');
  const feed = useMessageHits(search || null, { conversation });
  return (
    <Dialog title={texts.searchHere} width="wide" onClose={endAskedDialog} finalFocus={findReturn}>
      <div className={styles['field']}>
        <SearchField label={texts.searchMessages} value={search} onSearch={setSearch} />
      </div>
      <div className={styles['hits']}>
        {search !== '' && <MessageHits {...{ feed, view, search }} onOpen={endAskedDialog} />}
      </div>
    </Dialog>
  );
}
