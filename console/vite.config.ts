import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2022",
    // The content security policy does not allow inline fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "assets/licences.md" },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Most views need these libraries, so the first view loads them.
        codeSplitting: {
          groups: [{ name: "libraries", test: /node_modules\/(?:@tanstack|react|react-dom)\// }],
        },
      },
    },
  },
});
