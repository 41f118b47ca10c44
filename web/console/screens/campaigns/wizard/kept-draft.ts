/** Keeps what somebody changes in a draft at the platform, so that nothing is lost when the page is left. */
import type { Campaign, CampaignUpdate } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { parley } from '../../../client.ts';
import { showCampaign } from '../../../records/campaigns.ts';
import { createStore, useStore } from '../../../store.ts';

/** A change is stored when nobody has changed anything for this long. */
const TYPED_MS = 500;

interface KeptState {
  /** What is not stored yet. */
  unsaved: CampaignUpdate;
  isSaving: boolean;
  error: unknown;
}

/** Takes changes of a campaign from the fields of a form. */
export interface Changes {
  change(update: CampaignUpdate): void;
  /** Why the changes were refused. */
  error: unknown;
}

export interface KeptDraft extends KeptState, Changes {
  /** Stores what is not stored yet; resolves with whether everything is. */
  save(): Promise<boolean>;
}

type Keeper = ReturnType<typeof createKeeper>;

function createKeeper(id: string) {
  const state = createStore<KeptState>({ unsaved: {}, isSaving: false, error: null });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<unknown> = Promise.resolve();

  const storeOnce = async (): Promise<void> => {
    const sent = state.get().unsaved;
    if (Object.keys(sent).length === 0) return;
    state.set({ unsaved: sent, isSaving: true, error: null });
    try {
      showCampaign(await parley.campaigns.update(id, sent));
      state.set({ unsaved: dropStored(state.get().unsaved, sent), isSaving: false, error: null });
    } catch (error) {
      // Failure policy: the page shows why, and keeps what was changed for the next attempt.
      state.set({ unsaved: state.get().unsaved, isSaving: false, error });
    }
  };
  const save = async (): Promise<boolean> => {
    clearTimeout(timer);
    // One request at a time, so that an older value never follows a newer one.
    await (saving = saving.then(storeOnce));
    return state.get().error === null;
  };
  const change = (update: CampaignUpdate): void => {
    state.set({ ...state.get(), unsaved: { ...state.get().unsaved, ...update } });
    clearTimeout(timer);
    timer = setTimeout(() => void save(), TYPED_MS);
  };
  return { state, save, change };
}

/** Leaves out the changes that the platform has stored, unless somebody has changed them again meanwhile. */
function dropStored(unsaved: CampaignUpdate, sent: CampaignUpdate): CampaignUpdate {
  const before = new Map(Object.entries(sent));
  return Object.fromEntries(Object.entries(unsaved).filter(([key, value]) => before.get(key) !== value));
}

export function useKeptDraft({ _id }: Campaign): KeptDraft {
  const [{ state, save, change }] = useState<Keeper>(() => createKeeper(_id));
  useEffect(() => () => void save(), [save]);
  return { ...useStore(state), change, save };
}
