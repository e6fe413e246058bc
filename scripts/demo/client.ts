import { developmentKey } from "../local.ts";

/**
 * Calls the API, by default with the development key, and returns the `data` of the response. `Data` is its documented
 * type.
 */
export async function call<Data>(
  origin: string,
  method: string,
  path: string,
  body?: object,
  key = developmentKey(),
): Promise<Data> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as {
    success: boolean;
    data: Data;
    error?: { message: string };
  };
  if (!answer.success) throw new Error(`${method} ${path}: ${answer.error?.message}`);
  return answer.data;
}
