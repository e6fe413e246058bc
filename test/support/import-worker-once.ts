interface ModuleRunner {
  import(specifier: string): Promise<unknown>;
}
declare const __vitest_mocker__: { readonly moduleRunner: ModuleRunner };

/** Promises of the Worker's module, by its path. */
const imports = new Map<string, Promise<unknown>>();

/**
 * Imports the Worker's module once for each runtime. The test runner imports it for every call of a Durable
 * Object and asks vitest's main process each time, which fails the run if an alarm runs when the last file ends.
 */
export function importWorkerOnce(): void {
  const { moduleRunner } = __vitest_mocker__;
  if (Object.hasOwn(moduleRunner, "import")) return;
  const importModule = moduleRunner.import.bind(moduleRunner);
  moduleRunner.import = (specifier) => {
    if (!specifier.endsWith("/src/index.ts")) return importModule(specifier);
    const imported = imports.get(specifier) ?? importModule(specifier);
    imports.set(specifier, imported);
    return imported;
  };
}
