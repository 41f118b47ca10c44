alter table messages validate constraint messages_origin_check;
