-- All pieces and errors of sheets have their run: the constraints that referred to the imports saw to that before.
alter table import_chunks validate constraint import_chunks_run;
alter table import_errors validate constraint import_errors_run;
