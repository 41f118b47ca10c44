/** Ctrl-K searches and runs commands, and ? shows the keys. The dialogs are loaded when they are first opened. */
import { Suspense, useEffect, type ReactElement } from 'react';
import { isCovered, isPlainKey } from '../frame/shortcuts.ts';
import { lazyPart, LoadingDialog } from '../ui/lazy-part.tsx';
import { closeCommandDialog, openCommandDialog, useOpened } from './opened.ts';

const SearchDialog = lazyPart(async () => (await import('./search-dialog.tsx')).SearchDialog);
const KeysDialog = lazyPart(async () => (await import('./keys-dialog.tsx')).KeysDialog);

export function Commands(): ReactElement | null {
  const opened = useOpened();
  useEffect(() => {
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  if (opened === null) return null;
  return (
    <Suspense fallback={<LoadingDialog onClose={closeCommandDialog} />}>
      {opened === 'SEARCH' ? <SearchDialog /> : <KeysDialog />}
    </Suspense>
  );
}

function press(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey } = event;
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) {
    // The browser would search the web.
    event.preventDefault();
    if (!isCovered()) openCommandDialog('SEARCH');
  } else if (key === '?' && isPlainKey(event)) {
    event.preventDefault();
    openCommandDialog('KEYS');
  }
}
