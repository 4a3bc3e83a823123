// Names two videos of a release that show the same two sources in opposite
// orders: "AB BA", relative to the release.
// Usage: node orders.mjs out/releases/NAME/VERSION
// Exit code 1: there are none.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const dir = process.argv[2];
if (!dir) {
  console.error('usage: node orders.mjs RELEASE_DIR');
  process.exit(2);
}
const media = `read_parquet('${join(dir, 'data', 'media', '*.parquet').replaceAll("'", "''")}')`;
const db = await (await DuckDBInstance.create(':memory:')).connect();
const [found] = (await db.runAndReadAll(`
  SELECT a.file_name AS ab, b.file_name AS ba FROM ${media} a JOIN ${media} b
    ON [s.source FOR s IN a.recipe.segments] = list_reverse([s.source FOR s IN b.recipe.segments])
  WHERE a.recipe.layout = 'concatenated' AND b.recipe.layout = 'concatenated' AND len(a.recipe.segments) = 2 AND a.media_id < b.media_id
  ORDER BY ab LIMIT 1`)).getRowObjectsJson();
if (!found) {
  console.error('the release has no two videos of the same sources in opposite orders');
  process.exit(1);
}
console.log(found.ab, found.ba);
