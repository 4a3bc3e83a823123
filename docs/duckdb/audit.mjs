// Recomputes what the structural gates of a release judged, and the gold of its
// N-Back questions, from its tables alone, and prints the verdicts table beside
// it. Every query in audit/ lists what breaks its rule, so each must give no row;
// its first line counts what the rule is over, for no row of nothing says nothing.
// Usage: node audit.mjs out/releases/NAME/VERSION
// Exit code 1: a rule is broken, or none had anything to test.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';

const dir = process.argv[2];
if (!dir) {
  console.error('usage: node audit.mjs RELEASE_DIR');
  process.exit(2);
}

const quote = (path) => `'${path.replaceAll("'", "''")}'`;
const db = await (await DuckDBInstance.create(':memory:')).connect();
const rowsOf = async (sql) => (await db.runAndReadAll(sql)).getRowObjectsJson();
for (const table of ['questions', 'media', 'labels', 'verdicts']) {
  await db.run(`CREATE VIEW ${table} AS SELECT * FROM read_parquet(${quote(join(dir, 'data', table, '*.parquet'))})`);
}

let broken = 0;
let tested = 0;
const queries = join(dirname(fileURLToPath(import.meta.url)), 'audit');
for (const file of readdirSync(queries).sort()) {
  const sql = readFileSync(join(queries, file), 'utf8');
  const counted = /^-- over: (.*)$/m.exec(sql);
  if (!counted) throw new Error(`${file} does not say what it is over`);
  const over = Number(Object.values((await rowsOf(counted[1]))[0] ?? { n: 0 })[0] ?? 0);
  const rows = await rowsOf(sql);
  broken += rows.length;
  tested += over;
  const verdict = rows.length > 0 ? `${rows.length} violations` : over > 0 ? `holds over ${over} questions` : 'nothing to test';
  console.log(`${file.replace('.sql', '')}: ${verdict}`);
  for (const row of rows.slice(0, 5)) console.log(`  ${JSON.stringify(row)}`);
}

console.log('\nverdicts in the release:');
for (const v of await rowsOf('SELECT gate, outcome, count(*) AS items FROM verdicts GROUP BY ALL ORDER BY ALL')) {
  console.log(`  ${v.gate} ${v.outcome}: ${v.items}`);
}
if (tested === 0) console.error('no rule had anything to test: is this the release you mean?');
if (broken > 0 || tested === 0) process.exit(1);
