/** Saves what a list shows, as a view or a segment, and changes what was saved. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
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
  /** What is shown with other filters or in another order than it was saved with. */
  saved: V | undefined;
  /** Stores what the list shows now as what was saved. */
  update(saved: V): Promise<V>;
  onUpdated?(): void;
  create(given: Required<SavedChange>): Promise<V>;
  onSaved(saved: V): void;
}

/** The buttons that appear once the list is filtered: what is open is updated, or something new is saved. */
export function SaveButton<V extends Saved>(props: SaveButtonProps<V>): ReactElement {
  const { texts, saved, update, onUpdated } = props;
  const [isOpen, open] = useState(false);
  const changing = useChanging(props);
  const mayChange = useMayChange(props);
  return (
    <>
      {saved && mayChange(saved) && (
        <Button
          kind="quiet"
          isBusy={changing.isPending}
          onClick={() => changing.mutate(() => update(saved), { onSuccess: () => onUpdated?.() })}
        >
          {texts.update}
        </Button>
      )}
      <Button kind="quiet" onClick={() => open(true)}>
        {saved ? texts.saveNew : texts.save}
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

function useChanging<V extends Saved>({ store }: SavedKind<V>): UseMutationResult<V, unknown, () => Promise<V>> {
  const common = useTexts(COMMON);
  return useMutation({
    mutationFn: (change: () => Promise<V>) => change(),
    onSuccess: (changed) => {
      store.show(changed);
      showNotice(common.saved);
    },
    onError: showError,
  });
}

/** Who may change what was saved: its owner, and for what is shared those who may share and own it or manage the company's. */
function useMayChange<V extends Saved>({ share }: SavedKind<V>): (saved: V) => boolean {
  const { user } = useSession();
  const mayShare = useMay(share);
  const mayManage = useMay('pipelines:update');
  return ({ is_shared, owner }) => !is_shared || (mayShare && (owner === user._id || mayManage));
}

function useMenuItems<V extends Saved>(
  { store, texts, share, saved }: SavedMenuProps<V>,
  open: (dialog: 'RENAME' | 'REMOVE') => void,
): MenuItem[] {
  const common = useTexts(COMMON);
  const { user } = useSession();
  const mayShare = useMay(share);
  const mayChange = useMayChange({ store, texts, share });
  const changing = useChanging({ store, texts, share });
  const moves = useMoveItems({ store, texts, share }, saved);
  const isOwn = saved.owner === user._id;
  const shareWith = (is_shared: boolean): void => changing.mutate(() => store.update(saved._id, { is_shared }));
  if (!mayChange(saved)) return [];
  const items: (MenuItem | false)[] = [
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
