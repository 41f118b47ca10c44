#!/bin/sh
# The image of PostgreSQL runs this once, on an empty database. The platform works as five roles to which row-level security applies, and its
# own user may do nothing but become one of them.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$RUNTIME_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role parley_app nologin nosuperuser nobypassrls;
create role parley_read nologin nosuperuser nobypassrls;
create role parley_system nologin nosuperuser nobypassrls;
create role parley_member nologin nosuperuser nobypassrls;
create role parley_member_read nologin nosuperuser nobypassrls;
grant parley_app to parley_member;
grant parley_read to parley_member_read;
create role parley_run login noinherit password :'password';
grant parley_app, parley_read, parley_system, parley_member, parley_member_read to parley_run;
SQL
