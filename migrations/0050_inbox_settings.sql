-- The settings of an inbox's channels in one column, by the property that carries them, so that a new channel needs no column. The three
-- columns before it are no longer written; they go in a later release, because processes of this one's predecessor still read them.
alter table inboxes add column settings jsonb not null default '{}';
-- Row security binds the owner of the table, too: the system's role sees every company.
set local role parley_system;
update inboxes set settings =
  case when api_wap_config is null then '{}' else jsonb_build_object('api_wap_config', api_wap_config) end
  || case when partner_api_config is null then '{}' else jsonb_build_object('partner_api_config', partner_api_config) end
  || case when professional_network_config is null then '{}'
      else jsonb_build_object('professional_network_config', professional_network_config) end;
