import { runMatrix } from '/work/main/test/full/matrix/run-matrix.ts';
const t=performance.now();
for (const f of await runMatrix((process.argv[2]??'small') as 'small')) console.log(f.ok?'ok ':'BAD', f.name, '=', f.value);
console.log(((performance.now()-t)/1000).toFixed(1),'s');
