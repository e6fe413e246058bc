/** The build without a file system, imported by name so that tests and all bundlers use the same build. */
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
