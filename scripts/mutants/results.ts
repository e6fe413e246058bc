import type { Mutant } from "./mutant.ts";

/** A result states what was read, and a cost what was used. */
export const RESULTS: readonly Mutant[] = [
  {
    name: "instruction-as-input",
    promise: "results",
    protects: "a text that is only an instruction is not read as input",
    file: "src/domain/task-input/split.ts",
    find: "return asksToRead(clause) && isText(tail, PHRASE_WORDS_MIN);",
    replace: "return true;",
    tests: ["test/domain/task-input.test.ts"],
  },
  {
    name: "own-text-before-context",
    promise: "results",
    protects: "a task's own text is read only if the context has nothing to read",
    file: "src/agents/executors/builtin/material.ts",
    find: "if (sources.length > 0) return { sources, unusable };",
    replace: "",
    tests: ["test/agents/material.test.ts"],
  },
  {
    name: "quoted-delimiters",
    promise: "results",
    protects: "delimiters within quoted cells do not decide how a CSV is split",
    file: "src/tools/connectors/builtin/table/delimiter.ts",
    find: "const bare = withoutQuotedContent(text);",
    replace: "const bare = text;",
    tests: ["test/tools/builtin/table.test.ts"],
  },
];
