/** The inboxes that templates can be sent from. */
import { useInboxes } from '../../records/company.ts';
import type { Option } from '../field.tsx';

/** Messages to people who have not written lately are templates, which other inboxes do not have. */
export const useTemplateInboxes = (): Option[] =>
  useInboxes()
    .filter(({ has_templates, status }) => has_templates && status === 'ACTIVE')
    .map(({ _id, name }) => ({ value: _id, label: name }));

export const useHasTemplates = (inbox: string): boolean =>
  useInboxes().some(({ _id, has_templates }) => _id === inbox && has_templates);
