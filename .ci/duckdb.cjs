// Usage: node duckdb.cjs RELEASE. Reads every table file with DuckDB, value by
// value, and compares the row counts with manifest.json.
const fs = require("node:fs");
const path = require("node:path");
const { DuckDBInstance } = require("@duckdb/node-api");

async function main(release) {
  const manifest = JSON.parse(fs.readFileSync(path.join(release, "manifest.json"), "utf8"));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  let read = 0;
  for (const table of manifest.tables) {
    for (const split of table.splits ?? []) {
      const file = path.join(release, split.path).replaceAll("'", "''");
      const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${file}')`);
      const rows = reader.getRows().length;
      console.log(`${split.path}: ${rows} rows, ${reader.columnNames().length} columns`);
      if (rows !== split.rows) {
        throw new Error(`${split.path}: DuckDB reads ${rows} rows, the manifest says ${split.rows}`);
      }
      read += rows;
    }
  }
  if (read === 0) throw new Error("the release has no rows");
}

main(process.argv[2]).catch((err) => {
  console.error(String(err));
  process.exit(1);
});
