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
  const availability = findAvailability(site.hours, new Date());
  const questions = await listQuestions(kit, site, { isAway: !availability.is_open });
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
    availability: { ...availability, away_text: site.awayText },
    questions: questions.map(({ field: _field, ...question }) => question),
    max_file_bytes: MOST_FILE.maxBytes,
  };
}
