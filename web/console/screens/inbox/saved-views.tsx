/** Saves what a list shows as a view, and changes a saved view. */
import type { View } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { findNextPosition, forgetView, showView, toViewKey, useSavedView } from '../../records/views.ts';
import { useMay, useSession } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CreateDialog } from '../../ui/create-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { RemoveDialog } from '../../ui/remove-dialog.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError, showNotice } from '../../ui/toast.tsx';
import { resetListOptions, useListOptions } from './list-options.ts';
import { placeView, useViewPlace } from './view-order.ts';
import { VIEWS } from './view-texts.ts';
import { findFilter, ME } from './views.ts';

/** What the list of a view shows at present, for every user who looks. */
function useShown(view: string): Pick<View, 'filters' | 'sort'> {
  const saved = useSavedView(view);
  const { filter, sort } = useListOptions(view);
  return { filters: { ...findFilter(view, ME, saved), ...filter }, sort };
}

/** The button that appears once the list is filtered. */
export function SaveView({ view }: { view: string }): ReactElement {
  const texts = useTexts(VIEWS);
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => open(true)}>
        {texts.save}
      </Button>
      {isOpen && <SaveDialog view={view} onClose={() => open(false)} />}
    </>
  );
}

function SaveDialog({ view, onClose }: { view: string; onClose(): void }): ReactElement {
  const texts = useTexts(VIEWS);
  const common = useTexts(COMMON);
  const [, navigate] = useLocation();
  const mayShare = useMay('conversations:update');
  const shown = useShown(view);
  const isSaved = useSavedView(view) !== undefined;
  const [name, setName] = useState('');
  const [isShared, share] = useState(false);
  const creating = useMutation({
    mutationFn: () =>
      parley.views.create({ ...shown, name, is_shared: isShared, position: findNextPosition(isShared) }),
    onSuccess: (created) => {
      showView(created);
      resetListOptions(view, isSaved);
      onClose();
      navigate(`/${toViewKey(created._id)}`);
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

/** The menu of a saved view; null for a view that the user may not change. */
export function SavedViewMenu({ view }: { view: View }): ReactElement | null {
  const texts = useTexts(VIEWS);
  const [dialog, open] = useState<'RENAME' | 'REMOVE' | null>(null);
  const items = useMenuItems(view, open);
  if (items.length === 0) return null;
  const close = (): void => open(null);
  return (
    <>
      <Menu title={view.name} items={items} trigger={<IconButton icon="more" label={texts.menu} />} />
      {dialog === 'RENAME' && <RenameDialog view={view} onClose={close} />}
      {dialog === 'REMOVE' && (
        <RemoveDialog
          title={texts.removeTitle(view.name)}
          lead={view.is_shared ? texts.removeShared : texts.removeOwn}
          remove={() => parley.views.delete(view._id)}
          onRemoved={() => {
            forgetView(view._id);
            showNotice(texts.removed(view.name));
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function useMenuItems(view: View, open: (dialog: 'RENAME' | 'REMOVE') => void): MenuItem[] {
  const texts = useTexts(VIEWS);
  const common = useTexts(COMMON);
  const { user } = useSession();
  const mayShare = useMay('conversations:update');
  const mayManage = useMay('pipelines:update');
  const key = toViewKey(view._id);
  const shown = useShown(key);
  const { isChanged } = useListOptions(key);
  const changing = useMutation({
    mutationFn: (change: Partial<Pick<View, 'filters' | 'sort' | 'is_shared'>>) =>
      parley.views.update(view._id, change),
    onSuccess: (changed, change) => {
      showView(changed);
      if (change.filters) resetListOptions(key, true);
      showNotice(common.saved);
    },
    onError: showError,
  });
  const moves = useMoveItems(key);
  const isOwn = view.owner === user._id;
  if (view.is_shared && !(mayShare && (isOwn || mayManage))) return [];
  const items: (MenuItem | false)[] = [
    isChanged && { key: 'update', label: texts.update, icon: 'check', onSelect: () => changing.mutate(shown) },
    { key: 'rename', label: texts.rename, icon: 'edit', onSelect: () => open('RENAME') },
    !view.is_shared &&
      mayShare && {
        key: 'share',
        label: texts.share,
        icon: 'contacts',
        onSelect: () => changing.mutate({ is_shared: true }),
      },
    view.is_shared &&
      isOwn && {
        key: 'hide',
        label: texts.hide,
        icon: 'person',
        onSelect: () => changing.mutate({ is_shared: false }),
      },
    ...moves,
    { key: 'remove', label: common.remove, icon: 'remove', isDangerous: true, onSelect: () => open('REMOVE') },
  ];
  return items.filter((item) => item !== false);
}

function useMoveItems(key: string): MenuItem[] {
  const texts = useTexts(VIEWS);
  const own = useViewPlace(key);
  if (!own) return [];
  const index = own.list.indexOf(own.view);
  const up: MenuItem = { key: 'up', label: texts.moveUp, icon: 'up', onSelect: () => placeView(own, index - 1) };
  const down: MenuItem = {
    key: 'down',
    label: texts.moveDown,
    icon: 'down',
    onSelect: () => placeView(own, index + 1),
  };
  return [...(index > 0 ? [up] : []), ...(index < own.list.length - 1 ? [down] : [])];
}

function RenameDialog({ view, onClose }: { view: View; onClose(): void }): ReactElement {
  const texts = useTexts(VIEWS);
  const common = useTexts(COMMON);
  const [name, setName] = useState(view.name);
  const renaming = useMutation({
    mutationFn: () => parley.views.update(view._id, { name }),
    onSuccess: (renamed) => {
      showView(renamed);
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
