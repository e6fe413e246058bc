interface ModuleRunner {
  import(specifier: string): Promise<unknown>;
}
declare const __vitest_mocker__: { readonly moduleRunner: ModuleRunner };

let patched: ModuleRunner | null = null;

/**
 * For each Durable Object call, the test runner imports the Worker through Vitest's main process.
 * If an alarm runs while the last file is ending, that import fails and so does the whole run. This
 * function makes such imports wait forever instead.
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
