-- The list of kinds is also in the schemas of the API.
alter table notifications drop constraint notifications_kind_check,
  add constraint notifications_kind_check
    check (kind in ('ASSIGNED', 'TEAM_ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW', 'NOT_SENT', 'SLA_BREACHED')) not valid;
alter table notification_settings drop constraint notification_settings_kind_check,
  add constraint notification_settings_kind_check
    check (kind in ('ASSIGNED', 'TEAM_ASSIGNED', 'MENTIONED', 'REPLIED', 'UNASSIGNED_NEW', 'NOT_SENT', 'SLA_BREACHED')) not valid;
