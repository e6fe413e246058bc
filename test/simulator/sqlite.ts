import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Row } from "./disk.ts";

/** Undoes a write. Writes must be undone in reverse order. */
type Undo = () => void;

/**
 * One object's SQLite database. Each write opens a savepoint, so it can be undone until it is
 * committed.
 */
export class Sqlite {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  #savepoints = 0;

  read(sql: string, parameters: readonly SqlStorageValue[]): Row[] {
    const rows = this.#prepared(sql).all(...parameters.map(toInput));
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(toValue)));
  }

  write(sql: string, parameters: readonly SqlStorageValue[]): { changes: number; undo: Undo } {
    const name = `write${this.#savepoints}`;
    this.#database.exec(`SAVEPOINT ${name}`);
    try {
      const { changes } = this.#prepared(sql).run(...parameters.map(toInput));
      this.#savepoints += 1;
      return { changes: Number(changes), undo: () => this.#undo(name) };
    } catch (error) {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    }
  }

  /** Commits all writes so far. */
  commit(): void {
    if (this.#savepoints > 0) this.#database.exec("RELEASE write0");
    this.#savepoints = 0;
  }

  tables(): string[] {
    return this.read("SELECT name FROM sqlite_master WHERE type = 'table'", []).map(({ name }) =>
      String(name),
    );
  }

  #undo(name: string): void {
    this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
    this.#savepoints -= 1;
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function toInput(value: SqlStorageValue): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

function toValue([name, value]: [string, unknown]): [string, SqlStorageValue] {
  if (value === null || typeof value === "number" || typeof value === "string") {
    return [name, value];
  }
  if (value instanceof Uint8Array) return [name, new Uint8Array(value).buffer];
  throw new Error(`The simulator cannot read ${typeof value} from ${name}`);
}
