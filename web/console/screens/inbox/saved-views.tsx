/** Saves what a list shows as a view, and changes a saved view. */
import type { View } from '@parley/sdk';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { parley } from '../../client.ts';
import { SAVED_VIEWS, toViewKey, useSavedView } from '../../records/views.ts';
import { useTexts } from '../../texts/texts.ts';
import type { SavedKind } from '../../ui/saved/kind.ts';
import { SaveButton, SavedMenu } from '../../ui/saved/saved.tsx';
import { ME, resetListOptions, useListOptions } from './list-options.ts';
import { VIEWS } from './view-texts.ts';
import { findFilter } from './views.ts';

const useKind = (): SavedKind<View> => ({
  store: SAVED_VIEWS,
  texts: useTexts(VIEWS),
  share: 'conversations:update',
});

/** What the list of a view shows at present, for every user who looks. */
function useShown(view: string): Pick<View, 'filters' | 'sort'> {
  const saved = useSavedView(view);
  const { filter, sort } = useListOptions(view);
  return { filters: { ...findFilter(view, ME, saved), ...filter }, sort };
}

/** The buttons that appear once the list is filtered. */
export function SaveView({ view }: { view: string }): ReactElement {
  const [, navigate] = useLocation();
  const shown = useShown(view);
  const saved = useSavedView(view);
  return (
    <SaveButton
      {...useKind()}
      saved={saved}
      update={({ _id }) => parley.views.update(_id, shown)}
      onUpdated={() => resetListOptions(view, true)}
      create={(given) => parley.views.create({ ...shown, ...given })}
      onSaved={({ _id }) => {
        resetListOptions(view, saved !== undefined);
        navigate(`/${toViewKey(_id)}`);
      }}
    />
  );
}

export const SavedViewMenu = ({ view }: { view: View }): ReactElement => <SavedMenu {...useKind()} saved={view} />;
