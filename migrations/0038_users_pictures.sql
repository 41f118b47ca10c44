-- Addresses of pictures that no browser can open, such as https://256.256.256.256, and hosts with a semicolon or a quote were accepted once. They
-- become null. The host of a good one is a name whose last part is not a number, an IPv4 address, or an IPv6 address.
create function is_picture_address(address text) returns boolean language sql immutable as $$
  select address ~* ('^https?://([^/?#@]*@)?'
    || '(([a-z0-9._-]*\.)?[a-z0-9_-]*[a-z_-][a-z0-9_-]*\.?'
    || '|(0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.?'
    || '|\[[0-9a-f:.]+\])'
    || '(:0*([0-9]{0,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?([/?#]|$)')
$$;

-- Row security may apply to the owner, who would then see no row.
set local role parley_system;

-- The address of a picture that was uploaded is the platform's own.
update users set avatar_url = null where picture_id is null and not is_picture_address(avatar_url);

update contacts set avatar_url = null where not is_picture_address(avatar_url);

update inboxes set settings = jsonb_set(settings, '{web_config,avatar_url}', 'null')
  where not is_picture_address(settings#>>'{web_config,avatar_url}');

reset role;

drop function is_picture_address;
