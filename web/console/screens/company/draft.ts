/** What somebody has changed in the record of the company and not saved yet. It outlives the screen, so leaving it loses nothing. */
import type { Company, CompanyUpdate } from '@parley/sdk';
import { useSession } from '../../session/session.ts';
import { createStore, useStore } from '../../store.ts';

type Config = Company['general_config'];

/** The record as the fields show it: "" is what the record has as null. */
export interface Draft {
  name: string;
  site: string;
  document_type: NonNullable<Company['document_type']> | '';
  document_number: string;
  country: string;
  language: Config['language'];
  time_zone: string;
  second_factor_required: boolean;
}
export type Changes = Partial<Draft>;

interface Kept {
  /** The company and the user whose changes these are. */
  whose: string;
  changes: Changes;
}

const kept = createStore<Kept>({ whose: '', changes: {} });

const toDraft = ({ general_config, ...company }: Company): Draft => ({
  name: company.name,
  site: company.site ?? '',
  document_type: company.document_type ?? '',
  document_number: company.document_number ?? '',
  country: general_config.country ?? '',
  language: general_config.language,
  time_zone: general_config.time_zone,
  second_factor_required: company.second_factor_required,
});

/** Leaves out the changes whose values are those of the other draft. */
function dropEqual(changes: Changes, other: Changes): Changes {
  const values = new Map<string, unknown>(Object.entries(other));
  return Object.fromEntries(Object.entries(changes).filter(([key, value]) => values.get(key) !== value));
}

export interface CompanyDraft {
  draft: Draft;
  /** What differs from the record. */
  changes: Changes;
  change(changes: Changes): void;
  discard(): void;
  /** Forgets the changes that were saved, unless somebody has changed them again meanwhile. */
  settle(saved: Changes): void;
}

export function useCompanyDraft(company: Company): CompanyDraft {
  const { user } = useSession();
  const whose = `${company._id}:${user._id}`;
  const state = useStore(kept);
  const record = toDraft(company);
  const own = (): Changes => (kept.get().whose === whose ? kept.get().changes : {});
  const changes = state.whose === whose ? dropEqual(state.changes, record) : {};
  return {
    draft: { ...record, ...changes },
    changes,
    change: (more) => kept.set({ whose, changes: dropEqual({ ...own(), ...more }, record) }),
    discard: () => kept.set({ whose, changes: {} }),
    settle: (saved) => kept.set({ whose, changes: dropEqual(own(), saved) }),
  };
}

export type Saving = Pick<CompanyDraft, 'draft' | 'changes'>;

/**
 * The request that saves the changes, and nothing else. A document's number means something only with its type, so both are sent as the
 * screen shows them when one has changed.
 */
export function toUpdate({ draft, changes }: Saving): CompanyUpdate {
  const { name, site, document_type, document_number, second_factor_required, ...changed } = changes;
  const { country, ...others } = changed;
  const config = { ...others, ...(country !== undefined && { country: country || null }) };
  return {
    ...(name !== undefined && { name }),
    ...(site !== undefined && { site: site.trim() || null }),
    ...((document_type !== undefined || document_number !== undefined) && {
      document_type: draft.document_type || null,
      document_number: draft.document_number.trim() || null,
    }),
    ...(second_factor_required !== undefined && { second_factor_required }),
    ...(Object.keys(config).length > 0 && { general_config: config }),
  };
}
