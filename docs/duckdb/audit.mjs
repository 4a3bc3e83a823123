// Recomputes what the structural gates of a release judged, from its questions
// table alone, and compares the verdicts table. Every query in audit/ lists
// what breaks its rule, so each must give no row.
// Usage: node audit.mjs out/releases/NAME/VERSION
// Exit code 1: a rule is broken.
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
for (const table of ['questions', 'verdicts']) {
  await db.run(`CREATE VIEW ${table} AS SELECT * FROM read_parquet(${quote(join(dir, 'data', table, '*.parquet'))})`);
}

let broken = 0;
const queries = join(dirname(fileURLToPath(import.meta.url)), 'audit');
for (const file of readdirSync(queries).sort()) {
  const rows = await rowsOf(readFileSync(join(queries, file), 'utf8'));
  broken += rows.length;
  console.log(`${file.replace('.sql', '')}: ${rows.length === 0 ? 'holds' : `${rows.length} violations`}`);
  for (const row of rows.slice(0, 5)) console.log(`  ${JSON.stringify(row)}`);
}

console.log('\nverdicts in the release:');
for (const v of await rowsOf('SELECT gate, outcome, count(*) AS items FROM verdicts GROUP BY ALL ORDER BY ALL')) {
  console.log(`  ${v.gate} ${v.outcome}: ${v.items}`);
}
if (broken > 0) process.exit(1);
