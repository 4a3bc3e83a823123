// Reads a release with DuckDB, as somebody who downloaded it would: every table
// of manifest.json, its row count, and questions joined with their media.
// Usage: node query.mjs out/releases/NAME/VERSION
// Exit code 1: a count differs or a table cannot be read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const dir = process.argv[2];
if (!dir) {
  console.error('usage: node query.mjs RELEASE_DIR');
  process.exit(2);
}

const quote = (path) => `'${path.replaceAll("'", "''")}'`;
const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
const db = await (await DuckDBInstance.create(':memory:')).connect();
const rowsOf = async (sql) => (await db.runAndReadAll(sql)).getRowsJson();

let wrong = 0;
console.log(`${manifest.id}`);
for (const table of manifest.tables) {
  if (table.splits.length === 0) {
    if (table.rows !== 0) wrong++;
    console.log(`${table.name}: ${table.rows} rows, no file`);
    continue;
  }
  const paths = table.splits.map((s) => quote(join(dir, s.path)));
  try {
    await db.run(`CREATE VIEW ${table.name} AS SELECT * FROM read_parquet([${paths.join(', ')}])`);
    // Hashing every row makes DuckDB decode every value, not only the footer.
    const [[count, digest]] = await rowsOf(`SELECT count(*), bit_xor(hash(t)) FROM ${table.name} t`);
    const ok = Number(count) === table.rows;
    if (!ok) wrong++;
    console.log(`${table.name}: ${count} rows, manifest ${table.rows}: ${ok ? 'same' : 'DIFFERENT'} (hash ${digest})`);
  } catch (error) {
    wrong++;
    console.log(`${table.name}: ${error.message}`);
  }
}
if (wrong > 0) {
  console.error(`${wrong} tables are not what the manifest says`);
  process.exit(1);
}

console.log('\nquestions joined with their media:');
const joined = await rowsOf(`
  SELECT q.question_id, q.type, q.answer_key, map_from_entries(q.labels) AS labels,
         m.file_name, m.width || 'x' || m.height AS size, m.recipe.layout AS layout
  FROM (SELECT *, unnest(media) AS media_id FROM questions) q JOIN media m USING (media_id)
  ORDER BY q.question_id LIMIT 5`);
for (const row of joined) {
  console.log(row.map((v) => (typeof v === 'object' ? JSON.stringify(v) : String(v))).join(' | '));
}
const [[links, missing]] = await rowsOf(`
  SELECT count(*), count(*) FILTER (m.media_id IS NULL)
  FROM (SELECT unnest(media) AS media_id FROM questions) q LEFT JOIN media m USING (media_id)`);
console.log(`${links} links from questions to media, ${missing} of them lead nowhere`);
if (Number(missing) > 0) process.exit(1);
