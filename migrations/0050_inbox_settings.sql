-- The settings of an inbox in one column, by the property that holds the settings of a channel, so that a new channel needs no new column.
-- The three older columns are no longer written. They are dropped in a later release, because processes of the version before this one
-- still read them.
alter table inboxes add column settings jsonb not null default '{}';
-- Row-level security also applies to the owner of the tables, so the update runs as the system role, which sees every company.
set local role parley_system;
update inboxes set settings =
  case when api_wap_config is null then '{}' else jsonb_build_object('api_wap_config', api_wap_config) end
  || case when partner_api_config is null then '{}' else jsonb_build_object('partner_api_config', partner_api_config) end
  || case when professional_network_config is null then '{}'
      else jsonb_build_object('professional_network_config', professional_network_config) end;
