const RETRY_MS = 2_000;
const ANSWER_MS_MAX = 5_000;

/**
 * Loads a module of the console. Without a connection, waits until there is one. Throws if the service responds but the
 * module cannot be loaded, for example because a newer version of the console has replaced it. The router then reloads
 * the page.
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await isServiceReachable()) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function isServiceReachable(): Promise<boolean> {
  try {
    await fetch("/console", { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return true;
  } catch {
    return false;
  }
}
