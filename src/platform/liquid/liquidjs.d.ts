/** The build without a file system, imported by name so that tests and all bundlers use the same one. */
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
