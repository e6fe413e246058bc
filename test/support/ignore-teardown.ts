interface ModuleRunner {
  import(specifier: string): Promise<unknown>;
}
declare const __vitest_mocker__: { readonly moduleRunner: ModuleRunner };

let patched: ModuleRunner | null = null;

/**
 * The test runner imports the Worker for each call of a Durable Object, through vitest's main process. An alarm
 * that runs while the last file ends then fails the whole run. Such an import now never settles instead.
 */
export function ignoreImportsAtTeardown(): void {
  const { moduleRunner } = __vitest_mocker__;
  if (patched === moduleRunner) return;
  if (Object.hasOwn(moduleRunner, "import"))
    throw new Error("The test runner's import has changed");
  patched = moduleRunner;
  const importModule = moduleRunner.import.bind(moduleRunner);
  moduleRunner.import = async (specifier) => {
    try {
      return await importModule(specifier);
    } catch (error) {
      const isTeardown = error instanceof Error && error.message.includes("Closing rpc");
      if (isTeardown) return new Promise(() => {});
      throw error;
    }
  };
}
