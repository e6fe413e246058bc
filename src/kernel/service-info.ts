/** The service's name and version for other systems. The version must match package.json. */
export const SERVICE_INFO = { name: "bosun", version: "0.2.0" } as const;
