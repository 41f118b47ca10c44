alter table messages validate constraint messages_origin_check;
alter table report_facts validate constraint report_facts_kind_check;
