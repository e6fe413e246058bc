/** The text that `npm run dev` prints when the service is ready. */
export function formatWelcome(origin: string, key: string, console: string): string {
  const auth = `-H "Authorization: Bearer ${key}"`;
  const json = `-H "Content-Type: application/json"`;
  return `
  Bosun is running at ${origin}
  Console, signed in: ${console}
  Interactive API reference: ${origin}/docs#key=${key}
  Development key: ${key}

  Try:
  curl ${auth} '${origin}/agents/tools?category=data'
  curl ${auth} ${json} ${origin}/agents/tools/table-analyst/invoke -d '{"capability":"profile","parameters":{"csv":"day,sold\\n1,10\\n2,14"}}'
  curl ${auth} ${json} ${origin}/agents/tasks -d '{"task":"Summarise the sales","context":{"csv":"day,sold\\n1,10\\n2,14\\n3,19"},"deliverables":["report"]}'
`;
}
