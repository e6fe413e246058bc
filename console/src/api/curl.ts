/** The command that sends a request to the API. The key comes from the variable `KEY`. */
export function curlFor(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): string {
  const parts = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${location.origin}${path}`,
    `  -H "Authorization: Bearer $KEY"`,
  ];
  if (body !== undefined)
    parts.push(
      `  -H "Content-Type: application/json"`,
      `  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
    );
  return parts.join(" \\\n");
}
