-- Whether sending the message leaves a closed conversation closed.
alter table scheduled_messages add column keeps_closed boolean not null default false;
