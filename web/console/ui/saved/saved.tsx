/** Saves what a list shows, as a view or a segment, and changes what was saved. */
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Saved, SavedChange } from '../../records/saved.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { CreateDialog } from '../create-dialog.tsx';
import { CheckField } from '../field.tsx';
import { Menu, type MenuItem } from '../menu.tsx';
import { RemoveDialog } from '../remove-dialog.tsx';
import { COMMON } from '../texts.ts';
import { showError, showNotice } from '../toast.tsx';
import type { SavedKind } from './kind.ts';
import { useMoveItems } from './order.ts';

interface SaveButtonProps<V extends Saved> extends SavedKind<V> {
  create(given: Required<SavedChange>): Promise<V>;
  onSaved(saved: V): void;
}

/** The button that appears once the list is filtered. */
export function SaveButton<V extends Saved>(props: SaveButtonProps<V>): ReactElement {
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => open(true)}>
        {props.texts.save}
      </Button>
      {isOpen && <SaveDialog {...props} onClose={() => open(false)} />}
    </>
  );
}

function SaveDialog<V extends Saved>(props: SaveButtonProps<V> & { onClose(): void }): ReactElement {
  const { store, texts, share: scope, create, onSaved, onClose } = props;
  const common = useTexts(COMMON);
  const mayShare = useMay(scope);
  const [name, setName] = useState('');
  const [isShared, share] = useState(false);
  const creating = useMutation({
    mutationFn: () => create({ name, is_shared: isShared, position: store.findNextPosition(isShared) }),
    onSuccess: (created) => {
      store.show(created);
      onClose();
      onSaved(created);
    },
  });
  return (
    <CreateDialog
      title={texts.save}
      create={common.save}
      name={{ label: texts.name, value: name, onChange: setName }}
      mutation={creating}
      onClose={onClose}
    >
      {mayShare && <CheckField label={texts.share} checked={isShared} onChange={share} />}
    </CreateDialog>
  );
}

interface SavedMenuProps<V extends Saved> extends SavedKind<V> {
  saved: V;
  /** Stores what the list shows now; absent while it shows what is saved. */
  update?: (() => Promise<V>) | undefined;
  onUpdated?(): void;
  onRemoved?(): void;
}

/** The menu of what was saved; null for a user who may not change it. */
export function SavedMenu<V extends Saved>(props: SavedMenuProps<V>): ReactElement | null {
  const { store, texts, saved, onRemoved } = props;
  const [dialog, open] = useState<'RENAME' | 'REMOVE' | null>(null);
  const items = useMenuItems(props, open);
  if (items.length === 0) return null;
  const close = (): void => open(null);
  return (
    <>
      <Menu title={saved.name} items={items} trigger={<IconButton icon="more" label={texts.menu} />} />
      {dialog === 'RENAME' && <RenameDialog {...props} onClose={close} />}
      {dialog === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeTitle(saved.name)}
          lead={saved.is_shared ? texts.removeShared : texts.removeOwn}
          remove={() => store.remove(saved._id)}
          onRemoved={() => {
            store.forget(saved._id);
            showNotice(texts.removed(saved.name));
            onRemoved?.();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function useMenuItems<V extends Saved>(
  { store, texts, share, saved, update, onUpdated }: SavedMenuProps<V>,
  open: (dialog: 'RENAME' | 'REMOVE') => void,
): MenuItem[] {
  const common = useTexts(COMMON);
  const { user } = useSession();
  const mayShare = useMay(share);
  const mayManage = useMay('pipelines:update');
  const changing = useMutation({
    mutationFn: (change: () => Promise<V>) => change(),
    onSuccess: (changed) => {
      store.show(changed);
      showNotice(common.saved);
    },
    onError: showError,
  });
  const moves = useMoveItems({ store, texts, share }, saved);
  const isOwn = saved.owner === user._id;
  const shareWith = (is_shared: boolean): void => changing.mutate(() => store.update(saved._id, { is_shared }));
  if (saved.is_shared && !(mayShare && (isOwn || mayManage))) return [];
  const items: (MenuItem | false)[] = [
    update !== undefined && {
      key: 'update',
      label: texts.update,
      icon: 'check',
      onSelect: () => changing.mutate(update, { onSuccess: () => onUpdated?.() }),
    },
    { key: 'rename', label: texts.rename, icon: 'edit', onSelect: () => open('RENAME') },
    !saved.is_shared &&
      mayShare && { key: 'share', label: texts.share, icon: 'contacts', onSelect: () => shareWith(true) },
    saved.is_shared && isOwn && { key: 'hide', label: texts.hide, icon: 'person', onSelect: () => shareWith(false) },
    ...moves,
    { key: 'remove', label: common.remove, icon: 'remove', isDangerous: true, onSelect: () => open('REMOVE') },
  ];
  return items.filter((item) => item !== false);
}

function RenameDialog<V extends Saved>({
  store,
  texts,
  saved,
  onClose,
}: SavedMenuProps<V> & { onClose(): void }): ReactElement {
  const common = useTexts(COMMON);
  const [name, setName] = useState(saved.name);
  const renaming = useMutation({
    mutationFn: () => store.update(saved._id, { name }),
    onSuccess: (renamed) => {
      store.show(renamed);
      onClose();
    },
  });
  return (
    <CreateDialog
      title={texts.rename}
      create={common.save}
      name={{ label: texts.name, value: name, onChange: setName }}
      mutation={renaming}
      onClose={onClose}
    />
  );
}
