/** Parts of statements about two-factor log-in. */

const LACKS = 'c.second_factor_required and not has_second_factor(u.email)';
/** Whether the company `c` requires a second factor that its user `u` does not have. */
export const LACKS_SECOND_FACTOR = `${LACKS} as lacks_second_factor`;
/** The condition for users `u` who have the second factor, if their company `c` requires it. */
export const HAS_REQUIRED_FACTOR = `not (${LACKS})`;
