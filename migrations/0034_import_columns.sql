-- A column titled "Constructor" was found among what every JavaScript object inherits, and stored without its field: such an import,
-- and each list with it, could not be shown. Like every column that nothing is called after, it is not taken.
-- Row security binds the owner of the table, too: the system's role sees every company.
set local role parley_system;
update imports set options = jsonb_set(options, '{columns}', (
    select jsonb_agg('{"field": null}'::jsonb || c.item order by c.place)
    from jsonb_array_elements(options -> 'columns') with ordinality as c (item, place)
  ))
where options -> 'columns' @? '$[*] ? (!exists(@.field))';
