// Runs the queries that documents show, fenced as sql, over a release: each must
// give a row, but one that begins with "-- no row" none.
// Usage: node shown.mjs out/releases/NAME/VERSION DOCUMENT...
// Exit code 1: a query fails or gives what it should not, or a document has none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const [dir, ...documents] = process.argv.slice(2);
if (documents.length === 0) {
  console.error('usage: node shown.mjs RELEASE_DIR DOCUMENT...');
  process.exit(2);
}

const texts = documents.map((name) => readFileSync(name, 'utf8'));
process.chdir(dir); // a query may name files of the release
const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const table of ['questions', 'media', 'verdicts']) {
  await db.run(`CREATE VIEW ${table} AS SELECT * FROM '${join('data', table, '*.parquet')}'`);
}

let wrong = 0;
for (const [i, text] of texts.entries()) {
  const queries = [...text.matchAll(/^```sql\n(.*?)^```$/gms)].map((m) => m[1]);
  if (queries.length === 0) wrong++;
  console.log(`${documents[i]}: ${queries.length} queries`);
  for (const query of queries) {
    const rows = (await db.runAndReadAll(query)).getRowObjectsJson();
    const none = query.startsWith('-- no row');
    if (none !== (rows.length === 0)) {
      wrong++;
      console.error(`${rows.length} rows, want ${none ? 'none' : 'some'}:\n${query}`);
    }
    for (const row of rows.slice(0, 3)) console.log(`  ${JSON.stringify(row)}`);
  }
}
if (wrong > 0) process.exit(1);
