/** Parts of statements about two-factor log-in. */

// A user who has not accepted is never asked for the factor of the person at this address.
const LACKS = 'c.second_factor_required and not (u.accepted_at is not null and has_second_factor(u.email))';
const SUFFICES = `c.single_sign_on_suffices
  and exists (select 1 from single_sign_on o where o.company_id = c._id and o.enabled)`;
/** Whether the company `c` requires a second factor that its user `u` does not have. */
export const LACKS_SECOND_FACTOR = `${LACKS} as lacks_second_factor`;
/** The same for a session `s`: a log-in by single sign-on needs no second factor, unless the company says otherwise. */
export const LACKS_IN_SESSION = `${LACKS} and not (s.single_sign_on and ${SUFFICES}) as lacks_second_factor`;
/** The condition for users `u` who have the second factor, if their company `c` requires it, or whom its provider logs in. */
export const HAS_REQUIRED_FACTOR = `(not (${LACKS}) or u.single_sign_on_subject is not null and ${SUFFICES})`;
/** Whether the app that a user `u` has connected does not work, because of the second factor that the company `c` requires. */
export const APP_LACKS_FACTOR = `not ${HAS_REQUIRED_FACTOR} as lacks_second_factor`;
