-- The channels declare the kinds of names by which their networks know people, so a new kind should need no change of this table.
alter table contact_identities drop constraint contact_identities_kind_check;
