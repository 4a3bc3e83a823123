// Holds what README.md says of the default release against it: its question, and counts.
// Usage: node readme.mjs out/releases/memforge-films/1.0.0
// Exit code 1: the release does not have what the page shows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const db = await (await DuckDBInstance.create(':memory:')).connect();
const read = (table) => `read_parquet('${join(process.argv[2], 'data', table, '*.parquet').replaceAll("'", "''")}')`;
const count = async (sql, values) => Number((await db.runAndReadAll(`SELECT count(*) FROM ${sql}`, values)).getRows()[0][0]);

let wrong = 0;
const hold = (what, said, found) => {
  console.log(`${what}: ${said} on the page, ${found} in the release`);
  if (said !== found) wrong++;
};
const number = (pattern) => Number(page.match(pattern)[1].replace(',', ''));
const family = (name) => count(`${read('questions')} WHERE family = $1`, [name]);

const [, question] = page.match(/\*([^*\n]+\?)\*/);
const [, key, text] = page.match(/\*\*([A-D])\. (.+?) ✓\*\*/);
hold(question, 1, await count(`${read('questions')} WHERE question = $1 AND answer_key = $2 AND list_contains(list_transform(options, o -> o.key || '. ' || o.text), $2 || '. ' || $3)`, [question, key, text]));
hold('pictures of lives', number(/([\d,]+) pictures and/), await count(read('visual_pictures')));
hold('questions about them', number(/pictures and ([\d,]+) questions/), await family('visual'));
hold('questions that combine sources, twice', 2 * number(/people and ([\d,]+) questions/), await family('crosssource'));
hold('memory points', number(/([\d,]+) memory points/), await count(read('memory_points')));
hold('questions about them', number(/memory points and ([\d,]+) questions/), await family('lifelong'));
process.exit(wrong > 0 ? 1 : 0);
