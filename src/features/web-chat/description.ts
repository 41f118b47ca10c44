/** How a web chat looks to everybody who opens its page. */
import { findAvailability } from '../../channels/office-hours.ts';
import type { Kit } from '../../kit.ts';
import { MOST_FILE } from './files.ts';
import { listQuestions } from './questions.ts';
import type { WebSite } from './schemas.ts';
import type { Site } from './sites.ts';

export async function describeSite(kit: Kit, site: Site): Promise<WebSite> {
  const { config, inbox, title } = site;
  const { color, position, avatar_url, welcome_text, quick_replies, language, identity_required } = config;
  const questions = await listQuestions(kit, site);
  const hours = findAvailability(config.office_hours, new Date());
  return {
    inbox,
    title,
    color,
    position,
    avatar_url,
    welcome_text,
    quick_replies,
    language,
    identity_required,
    availability: { ...hours, away_text: config.office_hours?.away_text ?? null },
    questions: questions.map(({ field: _field, ...question }) => question),
    max_file_bytes: MOST_FILE.maxBytes,
  };
}
