import type { Mapped } from "../../../domain/connector.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { piece, styled } from "./styled.ts";

/** The query's `name=value` pieces, encoded. Absent parameters, null and empty lists are left out. */
export async function queryPieces(
  query: Readonly<Record<string, Mapped>>,
  parameters: JsonObject,
): Promise<Result<string[], Problem[]>> {
  const pieces: string[] = [];
  const problems: Problem[] = [];
  for (const [name, mapped] of Object.entries(query)) {
    if ("value" in mapped) {
      pieces.push(piece(name, mapped.value));
      continue;
    }
    const value = Object.hasOwn(parameters, mapped.parameter)
      ? (parameters[mapped.parameter] ?? null)
      : null;
    const written = await styled(name, value, mapped);
    if (written.ok) pieces.push(written.value);
    else problems.push({ path: mapped.parameter, message: written.failure });
  }
  if (problems.length > 0) return fail(problems);
  return ok(pieces.flatMap((one) => one.split("&")).filter((one) => one !== ""));
}
