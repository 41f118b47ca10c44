/** The notes about the contact, which only the team sees. */
import type { ContactNote } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type KeyboardEvent, type ReactElement } from 'react';
import { parley } from '../../../../client.ts';
import { forgetNote, showNote, useNotes } from '../../../../records/contact-notes.ts';
import { useMay } from '../../../../session/session.ts';
import { formatMoment, formatShort } from '../../../../texts/formats.ts';
import { useTexts } from '../../../../texts/texts.ts';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { isComposing } from '../../../../ui/confirming.ts';
import { MessageText } from '../../../../ui/message-text.tsx';
import { RemoveDialog } from '../../../../ui/remove-dialog.tsx';
import { COMMON } from '../../../../ui/texts.ts';
import { showError } from '../../../../ui/toast.tsx';
import styles from './panel.module.css';
import { SectionList } from './section.tsx';
import { PANEL } from './texts.ts';
import { useIsUnsaved, useUnsaved } from './unsaved.ts';

export function Notes({ contact }: { contact: string }): ReactElement {
  const texts = useTexts(PANEL);
  const may = useMay('contacts:update');
  const feed = useNotes(contact);
  const write = useMutation({
    mutationFn: (content: string) => parley.contacts.createNote(contact, { content }),
    onSuccess: showNote,
    onError: showError,
  });
  return (
    <>
      {may && (
        <NoteForm
          key={contact}
          record={contact}
          label={texts.writeNote}
          action={texts.addNote}
          isBusy={write.isPending}
          onSave={write.mutateAsync}
        />
      )}
      <SectionList feed={feed} empty={texts.noNotes} render={(note) => <Note note={note} />} />
    </>
  );
}

interface NoteFormProps {
  /** The contact of a new note, or the note that is edited. */
  record: string;
  label: string;
  action: string;
  text?: string;
  isBusy: boolean;
  onSave(content: string): Promise<unknown>;
  onCancel?: () => void;
}

/** Ctrl+Enter saves a note; Enter begins a new line. */
function NoteForm({ record, label, action, text = '', isBusy, onSave, onCancel }: NoteFormProps): ReactElement {
  const common = useTexts(COMMON);
  const [typed, type] = useUnsaved(record, text);
  const content = typed.trim();
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (content === '' || isBusy) return;
    // Failure policy: the mutation shows the error, and the text stays.
    onSave(content).then(
      () => type(text),
      () => undefined,
    );
  };
  const cancel = (): void => {
    type(text);
    onCancel?.();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
    if (event.key === 'Escape' && onCancel) cancel();
  };
  return (
    <form className={styles['form']} onSubmit={save} data-unfinished={content !== text || undefined}>
      <textarea
        className={styles['add']}
        aria-label={label}
        placeholder={label}
        rows={onCancel || content !== '' ? 4 : 1}
        maxLength={10_000}
        dir="auto"
        value={typed}
        onChange={({ target }) => type(target.value)}
        onKeyDown={press}
      />
      {(onCancel || content !== '') && (
        <p className={styles['actions']}>
          <Button kind="note" type="submit" isBusy={isBusy} disabled={content === ''}>
            {action}
          </Button>
          {onCancel && <Button onClick={cancel}>{common.cancel}</Button>}
        </p>
      )}
    </form>
  );
}

function Note({ note }: { note: ContactNote }): ReactElement {
  const texts = useTexts(PANEL);
  const common = useTexts(COMMON);
  const may = useMay('contacts:update');
  const isBegun = useIsUnsaved(note._id);
  const [act, begin] = useState<'EDIT' | 'REMOVE' | null>(isBegun ? 'EDIT' : null);
  const end = (): void => begin(null);
  const change = useMutation({
    mutationFn: (content: string) => parley.contacts.updateNote(note.contact, note._id, { content }),
    onSuccess: (changed) => {
      showNote(changed);
      end();
    },
    onError: showError,
  });
  if (act === 'EDIT')
    return (
      <NoteForm
        record={note._id}
        label={texts.editNote}
        action={common.save}
        text={note.content}
        isBusy={change.isPending}
        onSave={change.mutateAsync}
        onCancel={end}
      />
    );
  return (
    <article className={styles['note']}>
      <p className={styles['words']} dir="auto">
        <MessageText text={note.content} hasMarks={false} />
      </p>
      <footer className={styles['soft']}>
        <span dir="auto">{note.author.name}</span> ·{' '}
        <time dateTime={note.createdAt} title={formatMoment(note.createdAt)}>
          {formatShort(note.createdAt)}
        </time>
        {may && (
          <span className={styles['tools']}>
            <IconButton icon="edit" label={texts.editNote} onClick={() => begin('EDIT')} />
            <IconButton icon="remove" label={texts.removeNote} onClick={() => begin('REMOVE')} />
          </span>
        )}
      </footer>
      {act === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeNote}
          lead={texts.removeNoteLead}
          remove={() => parley.contacts.deleteNote(note.contact, note._id)}
          onRemoved={() => forgetNote(note._id)}
          onClose={end}
        />
      )}
    </article>
  );
}
