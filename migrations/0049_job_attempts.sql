-- Jobs that were begun and have not ended. Where a process died in the middle of some, their rows stay, and say how often it happened.
create table job_attempts (
  job uuid primary key,
  begun bigint not null default 1,
  begun_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on job_attempts to parley_system;
