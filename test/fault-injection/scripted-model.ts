import { provideAi } from "../support/workers-ai.ts";

const USED = { usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 } };
const FILE = { name: "report.md", type: "report", content: "# Bergen\n\nRebuilt in 1702." };

/**
 * Provides a model that summarises a text, delivers a file and finishes, in one turn each. Returns
 * a function that removes the model.
 */
export function provideScriptedModel(): () => void {
  return provideAi((_, inputs) => Promise.resolve(answerTo(inputs)));
}

function answerTo(inputs: object): object {
  const seen = JSON.stringify(inputs);
  // The name of a tool that was called appears in the messages as well as in the tool definitions.
  const made = (name: string): boolean => seen.split(`"name":"${name}"`).length > 2;
  const call = !made("text-analyst__summarise")
    ? { name: "text-analyst__summarise", arguments: { text: "$context.text", sentences: 1 } }
    : !made("deliver_file")
      ? { name: "deliver_file", arguments: FILE }
      : { name: "finish", arguments: { summary: "Rebuilt in 1702." } };
  return { response: "", tool_calls: [call], ...USED };
}
