/** Says who and what an entry is about. */
import type { AuditEntry } from '@parley/sdk';
import { useTexts } from '../../texts/texts.ts';
import { AUDIT, RESOURCE_NAMES } from './texts.ts';
import { VERB_NAMES } from './verb-texts.ts';

/** Returns how an entry's action is written. An action that a newer platform records is written as the platform names it. */
export function useActionWords(): (entry: Pick<AuditEntry, 'action'>) => string {
  const resources = new Map(Object.entries(useTexts(RESOURCE_NAMES)));
  const verbs = new Map(Object.entries(useTexts(VERB_NAMES)));
  return ({ action }) => {
    const [resource = '', verb = ''] = action.split('.');
    return `${resources.get(resource) ?? resource}: ${verbs.get(verb) ?? verb}`;
  };
}

export function useActorWords(): (actor: AuditEntry['actor']) => string {
  const texts = useTexts(AUDIT);
  return ({ type, name }) => {
    if (type === 'SYSTEM') return texts.platform;
    return type === 'KEY' ? `${texts.key}: ${name}` : name;
  };
}
