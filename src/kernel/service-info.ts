/** The name of the service for other systems; the version is that of package.json. */
export const SERVICE_INFO = { name: "bosun", version: "0.2.0" } as const;
