import { fileURLToPath } from "node:url";

import { defineConfig } from "vite";

// The figures of `farpath figures`: one classic script for an engine without a browser.
export default defineConfig({
  resolve: { alias: [{ find: /^uplot.*/, replacement: fileURLToPath(new URL("src/time/no-canvas.ts", import.meta.url)) }] },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: false,
    reportCompressedSize: false,
    cssCodeSplit: false,
    lib: { entry: "figures.ts", formats: ["iife"], name: "farpathShell", fileName: () => "figures.js", cssFileName: "figures-unused" },
  },
});
