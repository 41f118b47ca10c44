alter table report_facts drop constraint report_facts_kind_check;
alter table report_facts add constraint report_facts_kind_check check (kind in ('OPENED', 'REOPENED', 'CLOSED', 'GONE', 'FIRST_REPLY', 'REPLIED',
  'ANSWERED', 'HANDED_OVER', 'COST', 'CSAT_SENT', 'CSAT_RATED', 'CSAT_SATISFIED', 'SLA_MISSED')) not valid;
