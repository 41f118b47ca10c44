-- Whether users of the company can do nothing before they have set up two-factor log-in.
alter table companies add column second_factor_required boolean not null default false;
