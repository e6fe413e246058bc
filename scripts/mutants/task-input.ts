import type { Mutant } from "./mutant.ts";

/** Guarantee 10: splitting a task's text into inputs does not block the isolate. */
export const TASK_INPUT: readonly Mutant[] = [
  {
    name: "task-input-tested",
    promise: 10,
    protects: "at each boundary, only a limited part of the following text is tested",
    file: "src/tasks/model/task-input/split-task.ts",
    find: "return text.slice(0, TESTED_CHARACTERS_MAX);",
    replace: "return text;",
    tests: ["test/tasks/model/task-input/split-task.unit.test.ts"],
    only: /fewer than ten times/,
  },
  {
    name: "task-input-quotes",
    promise: 10,
    protects: "in a long text, the closing quote is searched for only at the end",
    file: "src/tasks/model/task-input/split-task.ts",
    find: "QUOTE_END.exec(text.slice(-QUOTE_END_CHARACTERS_MAX))",
    replace: "QUOTE_END.exec(text)",
    tests: ["test/tasks/model/task-input/split-task.unit.test.ts"],
    only: /fewer than ten times/,
  },
  {
    name: "task-input-question",
    promise: 10,
    protects: "a long text is not searched again at each boundary for the end of a question",
    file: "src/tasks/model/task-input/split-task.ts",
    find: "text.length <= TESTED_CHARACTERS_MAX && ONE_QUESTION.test(text)",
    replace: "ONE_QUESTION.test(text)",
    tests: ["test/tasks/model/task-input/split-task.unit.test.ts"],
    only: /fewer than ten times/,
  },
  {
    name: "task-input-rows",
    promise: 10,
    protects: "only the cells of a limited number of table rows are kept",
    file: "src/tasks/model/task-input/inline-table.ts",
    find: "if (rows.length < ROWS_READ_MAX) rows.push(cells);",
    replace: "rows.push(cells);",
    tests: ["test/tasks/model/task-input/split-task.unit.test.ts"],
    only: /thousand rows/,
  },
];
