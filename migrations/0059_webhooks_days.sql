-- A partition a day; 0057 says how. The indexes that only processes of 1.0.0 used are left out.
call partition_table('deliveries', array['deliveries_queue', 'deliveries_attempted']);
call tenant_table('deliveries');
select make_partitions('deliveries', 1, 3);
