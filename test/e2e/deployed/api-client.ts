/** A service, and the key for calling it. */
export interface Caller {
  readonly origin: string;
  readonly key: string;
}

export interface Reply<Data> {
  readonly status: number;
  readonly headers: Headers;
  /** Missing if the request failed. */
  readonly data: Data;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly context?: Readonly<Record<string, unknown>>;
  };
}

interface Extra {
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request. The caller specifies the documented type of the data. */
export async function send<Data>(
  { origin, key }: Caller,
  method: string,
  path: string,
  { body, headers = {} }: Extra = {},
): Promise<Reply<Data>> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      // The service closes idle connections after five seconds, possibly while one is being reused.
      Connection: "close",
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const envelope: Pick<Reply<Data>, "data" | "error"> = JSON.parse(await response.text());
  return { ...envelope, status: response.status, headers: response.headers };
}

/** Like `send`, but returns only the data, and throws if the request fails. */
export async function ask<Data>(
  caller: Caller,
  method: string,
  path: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Data> {
  const { data, error } = await send<Data>(caller, method, path, { body, headers });
  if (error !== undefined) throw new Error(`${method} ${path}: ${error.code} ${error.message}`);
  return data;
}
