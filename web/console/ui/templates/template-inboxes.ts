/** The inboxes that templates can be sent from. */
import { useInboxes } from '../../records/company.ts';
import type { Option } from '../field.tsx';

/** Messages to people who have not written lately are templates, which other channels do not have. */
export const useTemplateInboxes = (): Option[] =>
  useInboxes()
    .filter(({ channel, status }) => channel === 'WAP_AUTO_CLOSER' && status === 'ACTIVE')
    .map(({ _id, name }) => ({ value: _id, label: name }));
