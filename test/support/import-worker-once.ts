interface ModuleRunner {
  import(specifier: string): Promise<unknown>;
}
declare const __vitest_mocker__: { readonly moduleRunner: ModuleRunner };

let patched: ModuleRunner | null = null;
/** Promises of the Worker's module, by its path. */
const imports = new Map<string, Promise<unknown>>();

/**
 * Imports the Worker's module once for each runtime. The test runner imports it for every call of a Durable
 * Object and asks vitest's main process each time, which fails the run if an alarm runs when the last file ends.
 */
export function importWorkerOnce(): void {
  const { moduleRunner } = __vitest_mocker__;
  if (patched === moduleRunner) return;
  if (Object.hasOwn(moduleRunner, "import"))
    throw new Error("The test runner's import has changed");
  patched = moduleRunner;
  const importModule = moduleRunner.import.bind(moduleRunner);
  moduleRunner.import = (specifier) => {
    if (!specifier.endsWith("/src/index.ts")) return importModule(specifier);
    const imported = imports.get(specifier) ?? importModule(specifier);
    imports.set(specifier, imported);
    imported.catch(() => imports.delete(specifier));
    return imported;
  };
}
