import { developmentKey } from "../local.ts";

/** Calls the API and returns the `data` of the response. `Data` is its documented type. */
export async function call<Data>(
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<Data> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { Authorization: `Bearer ${developmentKey()}`, "Content-Type": "application/json" },
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
