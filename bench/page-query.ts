/**
 * Builds the SQL for one page of fifty tasks, newest first and without a total. The query parameters are
 * `?column=value&from=<createdAt>&to=<createdAt>&before=<createdAt>,<id>`. `place` returns the nth placeholder, counted
 * from 1, in the database's syntax.
 */
export function pageQuery(
  table: string,
  asked: Iterable<readonly [name: string, value: string]>,
  place: (n: number) => string,
): { sql: string; values: (string | number)[] } {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const put = (value: string | number): string => place(values.push(value));
  for (const [name, value] of asked) {
    if (name === "before") {
      const [at = "", id = ""] = value.split(",");
      conditions.push(`(created_at, id) < (${put(Number(at))}, ${put(id)})`);
    } else if (name === "from" || name === "to") {
      conditions.push(`created_at ${name === "from" ? ">=" : "<="} ${put(Number(value))}`);
    } else {
      conditions.push(`${name} = ${put(value)}`);
    }
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const sql = `SELECT * FROM ${table} ${where} ORDER BY created_at DESC, id DESC LIMIT 50`;
  return { sql, values };
}
