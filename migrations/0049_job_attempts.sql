-- The jobs that were begun and have not ended. When a process dies during a job, the row stays and counts how often this has happened.
create table job_attempts (
  job uuid primary key,
  begun bigint not null default 1,
  begun_at timestamptz(3) not null default now()
);
grant select, insert, update, delete on job_attempts to parley_system;
