/** Parts of statements about two-factor log-in. */

/** Whether the company `c` requires a second factor that its user `u` does not have. */
export const LACKS_SECOND_FACTOR = 'c.second_factor_required and not has_second_factor(u.email) as lacks_second_factor';
