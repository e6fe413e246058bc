/** The build without a file system, named so that tests and bundlers of any setting take the same. */
declare module "liquidjs/dist/liquid.browser.mjs" {
  export * from "liquidjs";
}
